import CivilTime
import Evidence
import Foundations
import Sandbox
import StrictJSON

/// What a simulation is about: who lives, when it begins and ends, and what an operator has written down.
struct World: Sendable {
  /// What may be chosen.
  struct Options: Sendable, Equatable {
    var seed: UInt64 = 1
    var days = 30
    var users = 20
    /// Nothing goes wrong.
    var isQuiet = false
  }

  let options: Options
  let firstDay: Day
  let life: LifeModel
  /// Where users live in the beginning.
  let homes: [String]
  /// The first instant, before the first day begins anywhere.
  let begin: Instant
  /// When the last day is over everywhere, and nothing goes wrong any more.
  let healed: Instant
  /// When all that came late is in, and all days are closed.
  let end: Instant

  /// First days around which clocks change somewhere.
  private static let seasons: [Int32] = [
    20_510, 20_532, 20_540, 20_561, 20_694, 20_716, 20_740, 20_748,
  ]

  init(_ options: Options) {
    self.options = options
    var random = SplitMix64(seed: options.seed, 0x0A1D)
    firstDay = Day(number: random.pick(Self.seasons) + Int32(random.number(in: -10...5)))
    life = LifeModel(
      seed: options.seed, userCount: options.users, firstDay: firstDay,
      // Nobody does anything any more on the last days: all that is told is over by then.
      dayCount: max(1, options.days - 2), isForgetful: !options.isQuiet)
    // A few zones, so that each has users to be closed together.
    let zones = (0..<3).map { _ in random.pick(SimulatedZones.names) } + [Self.zoneOfAPI]
    homes = life.users.map { _ in random.pick(zones) }
    let midnight = Int64(firstDay.number) * 86_400
    begin = Instant(seconds: midnight - 15 * 3_600)
    healed = Instant(seconds: midnight + Int64(options.days) * 86_400 + 14 * 3_600)
    end = healed.adding(seconds: 2 * 86_400)
  }

  /// Whether the sender of the inbox says how far it is complete.
  var requiresMark: Bool { options.seed % 3 == 0 }

  /// The zone in which the API writes its times; nothing starts without it.
  static let zoneOfAPI = "Asia/Tokyo"
  static let folder = "/data"
  static let configurationFile = "/rewards.json"
  static let roster = "/users.jsonl"
  static let rules = "/rules.json"
  static let events = "/events.jsonl"
  static let drawSecret = "zk3Gd0Qx9vPpR2mJ7tYb1LwHs5NfCu8E"
  static let token = "sandbox-token"

  var configuration: String {
    """
    {
      "data": "\(Self.folder)",
      "users": "\(Self.roster)",
      "drawSecret": {"env": "DRAWS"},
      "rules": ["\(Self.rules)"],
      "jobs": "/jobs",
      "api": {
        "baseURL": "http://127.0.0.1:1/api/v1", "token": {"env": "TOKEN"}, "requestsPerSecond": 50
      },
      "poll": {"everyMinutes": 120},
      "inbox": {"requireWatermark": \(requiresMark), "everySeconds": 1200},
      "relay": {
        "journal": {"kind": "file", "path": "\(Self.events)"},
        "notify": {"kind": "webhook", "url": "http://127.0.0.1:1/events", "secret": {"env": "HOOK"}}
      }
    }

    """
  }

  static let variables = [
    "DRAWS": drawSecret, "TOKEN": token,
    "HOOK": "whsec_ZXZlbnRzIG9mIGEgc2ltdWxhdGlvbiwgb2Ygbm8gb3RoZXI=",
  ]

  /// Every fire is run at last: the machine stands still for three days at most. With every second seed, fires come at the second
  /// at which an operator may run them too.
  var jobs: [String: String] {
    [
      "nightly.json": """
      {"name": "nightly", "schedule": "30 0 * * *", "timeZone": "user",
       "do": ["reconcile", "--day", "yesterday", "--prove"], "catchUp": "7d",
       "jitter": "\(options.seed % 2 == 0 ? "0s" : "5m")"}
      """,
      "audit.json": """
      {"name": "audit", "schedule": "0 4 * * sun", "timeZone": "Asia/Tokyo",
       "do": ["audit", "--since", "last"], "catchUp": "7d"}
      """,
    ]
  }

  private static let rulesBegin = Day(number: 10_957)

  /// The rules in the beginning: what is built in.
  static let firstRules = "{\"version\": \"first\", \"effectiveFrom\": \"\(rulesBegin)\"}\n"

  /// The first day of other rules, which an operator writes at an instant; that of the first ones where they correct those.
  static func firstDay(of new: Schedule.NewRules, at instant: Instant) -> Day {
    new.corrects
      ? rulesBegin : Day(number: Int32(instant.seconds / 86_400) + Int32(new.inDays))
  }

  /// Other rules, which an operator writes at an instant.
  static func rules(_ new: Schedule.NewRules, from first: Day, at instant: Instant) -> String {
    let kinds = ["comment", "follow", "gift", "purchase", "share", "stream", "watch"]
    let missions = zip(kinds, new.points).map { kind, points in
      #""\#(kind)": {"points": \#(points), "exp": \#(points / 2)}"#
    }
    return """
      {"version": "of \(instant.seconds) with \(new.cap)", "effectiveFrom": "\(first)",
       \(new.corrects ? #""corrects": "first","# : "")
       "missions": {\(missions.joined(separator: ", "))},
       "levels": {"caps": [\([String](repeating: "\(new.cap)", count: 29).joined(separator: ", "))]}}

      """
  }

  /// The roster with these zones of its users.
  func roster(_ zones: [String]) -> [UInt8] {
    Array(
      zip(life.users, zones).map { user, zone in
        #"{"user":"\#(user.id)","timezone":"\#(zone)","since":"\#(firstDay)"}"# + "\n"
      }.joined().utf8)
  }

  /// What other programs put into the inbox: each file with its name and the true time at which it comes.
  ///
  /// Lines come half an hour late at most, some of them twice, a few after hours or days.
  var inbox: [(at: Instant, name: String, text: [UInt8])] {
    var random = SplitMix64(seed: options.seed, 0x1B0C)
    let step: Int64 = 1_800
    let last = healed.seconds / step * step
    var due: [Int64: [String]] = [:]
    for (at, json) in lines {
      let slot = (at.seconds / step + 1) * step
      due[slot, default: []].append(json)
      if options.isQuiet { continue }
      if random.chance(0.03) {
        due[min(last, slot + step * random.number(in: 0...40)), default: []].append(json)
      }
      if random.chance(0.02) {
        due[slot, default: []].removeLast()
        due[min(last, slot + step * random.number(in: 1...200)), default: []].append(json)
      }
      if random.chance(0.003) { due[slot, default: []].append("{\"user\":\"u1\",\"kind\":") }
    }
    var files: [(at: Instant, name: String, text: [UInt8])] = []
    var slot = begin.seconds / step * step + step
    while slot <= last {
      var text = (due[slot] ?? []).map { $0 + "\n" }.joined()
      if requiresMark { text += "{\"completeThrough\":\"\(Instant(seconds: slot))\"}\n" }
      if !text.isEmpty {
        files.append((Instant(seconds: slot), "\(slot).jsonl", Array(text.utf8)))
      }
      slot += step
    }
    if requiresMark {
      let mark = end.adding(seconds: -7_200)
      files.append(
        (mark, "\(mark.seconds).jsonl", Array("{\"completeThrough\":\"\(mark)\"}\n".utf8)))
    }
    return files
  }

  /// Everything of the inbox's kinds that everybody does, in order.
  private var lines: [(at: Instant, json: String)] {
    var lines: [(at: Instant, json: String)] = []
    for user in life.users {
      for kind in ActivityKind.allCases where kind.source == .inbox {
        for activity in life.activities(of: user, kind) where activity.from >= begin {
          lines.append(
            (
              activity.from,
              #"{"user":"\#(user.id)","kind":"\#(kind.name)","at":"\#(activity.from)"}"#
            ))
        }
      }
    }
    return lines.sorted { ($0.at, $0.json) < ($1.at, $1.json) }
  }
}
