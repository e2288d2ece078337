import CivilTime
import Evidence
import Foundations
import Sandbox
import StrictJSON

/// The folder and the simulated world of a demo: who lives where, what goes wrong when, and the configuration.
struct DemoWorld: Sendable {
  /// The options of a demo.
  struct Options: Sendable {
    var folder = "./demo"
    var users = 150
    var days = 14
    var seed: UInt64 = 1
    var restarts = 2
    var pollMinutes = 60
  }

  /// The first day; the two weeks from here include the ends of summer time in Europe and in North America.
  static let firstDay = Day(number: 20_748)

  let options: Options
  let life: LifeModel
  /// The clock's first instant, before the first day begins anywhere.
  let begin: Instant
  /// The clock's last instant, when the last day is over and closed everywhere.
  let end: Instant
  /// The API's outage.
  let outage: SimulatedOutage

  init(_ options: Options) {
    self.options = options
    life = LifeModel(
      seed: options.seed, userCount: options.users, firstDay: Self.firstDay,
      dayCount: options.days)
    let midnight = Int64(Self.firstDay.number) * 86_400
    begin = Instant(seconds: midnight - 15 * 3_600)
    end = Instant(seconds: midnight + Int64(options.days) * 86_400 + 14 * 3_600)
    // Long enough to hide things, around midnight in the zones of most users.
    let outageDay = midnight + Int64(options.days * 2 / 5) * 86_400
    outage = SimulatedOutage(
      from: Instant(seconds: outageDay + 11 * 3_600), to: Instant(seconds: outageDay + 18 * 3_600))
  }

  /// The hours after which the service is stopped and started again, in order.
  var restartHours: [Int] {
    var random = SplitMix64(seed: options.seed, 0x7e57)
    let hours = Int64(end.seconds(since: begin) / 3_600)
    return (0..<options.restarts).map { _ in Int(random.number(in: 2...hours - 2)) }.sorted()
  }

  /// The faults of single requests, besides the outage.
  var faults: FaultPlan {
    FaultPlan(
      seed: options.seed,
      rates: FaultRates([
        .unauthorized: 0.001, .throttled: 0.002, .serverError: 0.006, .cut: 0.002,
        .truncated: 0.001, .notJSON: 0.001, .olderValue: 0.001, .missingValue: 0.001,
        .futureInstant: 0.0005, .endBeforeStart: 0.0005,
      ]),
      outages: [outage])
  }

  /// Returns the configuration while the world runs, or, when that `isOver`, the one that the folder is left with.
  ///
  /// `data` is the folder of the ledger or the address of a database.
  func configuration(
    baseURL: String, hook: String, data: String = "./data", isOver: Bool = false
  ) -> String {
    let token = "\"token\": {\"file\": \"./api-token\"},"
    let access =
      isOver
      ? "// The simulated API is gone: without a token nobody is looked at.\n    // \(token)"
      : token
    return """
      {
        // Written by rewards demo. The simulated API and the webhook's receiver are gone when the demo ends: what is
        // left is the data.
        "data": "\(data)",
        "users": "./users.jsonl",
        "drawSecret": {"file": "./draw-secret"},
        "jobs": "./jobs",
        "api": {
          "baseURL": "\(baseURL)",
          "timeZone": "Asia/Tokyo",
          \(access)
          "requestsPerSecond": 500
        },
        "poll": {"everyMinutes": \(options.pollMinutes), "lastCallSeconds": 60, "firstCallSeconds": 30},
        "inbox": {"requireWatermark": true, "everySeconds": 900},
        // Two programs hand in what no route shows, each into its own inbox: data/inbox/backend and data/inbox/shop.
        "sources": {
          "backend": {"kinds": ["login", "comment", "follow", "share"]},
          "shop": {"kinds": ["purchase"], "credits": ["points", "exp", "coins", "boosterDays"]}
        },
        "relay": {
          "journal": {"kind": "file", "path": "./events.jsonl"},
          "notify": {"kind": "webhook", "url": "\(hook)", "secret": {"file": "./relay-secret"}}
        },
        "admin": {"listen": "127.0.0.1:0"}
      }

      """
  }

  /// The roster: every user, judged from the first day on.
  var roster: String {
    life.users.map { user in
      var json = JSONWriter()
      json.beginObject()
      json.member("user", user.id)
      json.member("timezone", user.zone)
      json.member("since", Self.firstDay.description)
      json.endObject()
      return json.text + "\n"
    }.joined()
  }

  /// The secret that signs the webhook's events.
  static let relaySecret = "whsec_ZXZlbnRzIG9mIHRoZSBkZW1vLCBhbmQgb2Ygbm8gb3RoZXI="

  /// The nightly job, as it is shipped.
  static let nightlyJob = """
    {
      "name": "nightly-reconciliation",
      "schedule": "30 0 * * *",
      "timeZone": "user",
      "do": ["reconcile", "--day", "yesterday", "--prove"],
      "catchUp": "36h",
      "jitter": "5m"
    }

    """
}
