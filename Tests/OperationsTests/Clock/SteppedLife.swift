import CivilTime
import Evidence
import HTTPServer
import Ledger
import LedgerStore
import Operations
import Sandbox
import Scheduling

/// A service that lives through some days of simulated lives while its clock is moved about.
struct SteppedLife {
  static let firstDay = Day(number: 20_748)
  static let nightly = """
    {"name": "nightly-reconciliation", "schedule": "30 0 * * *", "timeZone": "user",
     "do": ["reconcile", "--day", "yesterday"], "catchUp": "36h", "jitter": "5m"}
    """

  /// What is wrong, each with the event it came of.
  private(set) var wrong: [String] = []
  /// Grants that are true, and that there ought to be.
  private(set) var right = 0
  /// Breaks of streaks that were checked.
  private(set) var breaks = 0
  /// Days that were closed, over all zones.
  private(set) var closes = 0
  /// Events that were lived through.
  private(set) var events = 0

  private let life: LifeModel
  private let clock: VirtualClock
  private let place: TestPlace
  private let begin: Instant

  /// Lives through the events of `seed`, and a day more.
  init(seed: Int, eventCount: Int) async throws {
    life = LifeModel(seed: UInt64(seed), userCount: 7, firstDay: Self.firstDay, dayCount: 12)
    let midnight = Int64(Self.firstDay.number) * 86_400
    begin = Instant(seconds: midnight - 15 * 3_600)
    clock = VirtualClock(at: begin, until: begin)
    let server = try SimulatedAPI(life: life, clock: clock).start()
    var settings = TestPlace.Settings()
    settings.baseURL = SimulatedAPI.baseURL(of: server)
    settings.requiresWatermark = true
    place = try TestPlace(settings)
    try place.write(
      "users.jsonl",
      life.users.map {
        "{\"user\":\"\($0.id)\",\"timezone\":\"\($0.zone)\",\"since\":\"\(Self.firstDay)\"}\n"
      }.joined())
    try place.write("jobs/nightly.json", Self.nightly)

    var running = try await RunningService(place.open(clock), on: clock)
    let feeder = WallFeeder(
      life: life, begin: begin, end: begin.adding(seconds: 13 * ClockEvent.day),
      inbox: running.runtime.inbox)
    let feeding = clock.start { [clock] in await feeder.run(clock) }
    for (wait, event) in ClockEvent.plan(seed: seed, count: eventCount) {
      await running.pass(wait)
      running = try await meet(event, running)
      events += 1
    }
    await running.pass(26 * ClockEvent.hour)
    if let reason = running.reason { wrong.append("at the end: \(reason)") }
    let users = await running.runtime.writer.read { Array($0.ledger.accounts.indices) }
    let missing = await OpenDayEvaluation(running.runtime.writer).missingCount(of: users)
    if missing != 0 { wrong.append("\(missing) records are missing at the end") }
    await running.stop()
    feeding.cancel()
    await feeding.value
    await server.stop()
    try await check()
  }

  private mutating func meet(
    _ event: ClockEvent, _ running: RunningService
  ) async throws -> RunningService {
    switch event {
    case .discipline:
      clock.step(bySeconds: -200)
      await running.pass(1_200)
      await expect(running, event, reason: nil)
    case .back(let seconds):
      let seq = running.seq
      clock.step(bySeconds: -seconds)
      await running.pass(seconds / 2)
      await expect(running, event, reason: "minutes back since", seq: seq)
      // Until it has passed the last record, nobody can accept it.
      await running.pass(seconds / 2 + ClockEvent.hour / 2)
      await expect(running, event, reason: "--accept-clock", seq: seq)
      try await running.acceptClock()
      await running.pass(ClockEvent.hour / 2)
      await expect(running, event, reason: nil)
    case .forwards(let seconds):
      let seq = running.seq
      clock.step(bySeconds: seconds)
      await running.pass(ClockEvent.hour / 4)
      await expect(running, event, reason: "--accept-clock", seq: seq)
      try await running.acceptClock()
      await running.pass(ClockEvent.hour)
      await expect(running, event, reason: nil)
    case .decade:
      let seq = running.seq
      clock.step(bySeconds: ClockEvent.tenYears)
      await running.pass(5 * ClockEvent.hour)
      await expect(running, event, reason: "--accept-clock", seq: seq)
      clock.step(bySeconds: -ClockEvent.tenYears)
      await running.pass(ClockEvent.hour / 2)
      await expect(running, event, reason: nil)
    case .stopped(let seconds):
      await running.stop()
      await clock.run(until: clock.now().adding(seconds: seconds))
      return try await RunningService(place.open(clock), on: clock)
    }
    return running
  }

  /// Notes what differs from how the service should be now: trusted or not, nothing written since `seq`, nothing
  /// known of the future.
  private mutating func expect(
    _ running: RunningService, _ event: ClockEvent, reason: String?, seq: UInt64? = nil
  ) async {
    let isAsExpected =
      reason.map { running.reason?.contains($0) ?? false } ?? (running.reason == nil)
    if !isAsExpected { wrong.append("\(event): \(running.reason ?? "granting")") }
    if let seq, running.seq != seq {
      wrong.append("\(event): \(running.seq - seq) records although the clock was not trusted")
    }
    let proven = await running.provenThrough()
    // While the wall is not trusted, the present is another than it shows.
    let now = running.runtime.clock.now()
    if proven > now { wrong.append("\(event): \(proven) is known at \(now)") }
  }

  private mutating func check() async throws {
    let facts = try LedgerFacts(place.directory)
    if try await !LedgerReading.verify(place.directory, heads: []).isIntact {
      wrong.append("the ledger is damaged")
    }
    let truth = TruthCheck(life, facts)
    right = truth.right
    wrong += truth.wrong.map { "granted for nothing: \($0)" }
    wrong += truth.unexplained.map { "not granted: \($0)" }
    wrong += facts.doubled.map { "doubled: \($0)" }
    let fires = facts.runs.map { "\($0.job)|\($0.zone)|\($0.nominalLocal)" }
    if Set(fires).count != fires.count { wrong.append("a fire has two records") }
    for zone in Set(life.users.map(\.zone)).sorted() { try check(zone, facts.closes[zone] ?? []) }
    for case .streak(let streak) in facts.records.map(\.body) where streak.what == .broken {
      check(streak, facts)
    }
  }

  /// Every date from the first one to the last that is over for an hour, in order.
  private mutating func check(_ zone: String, _ windows: [DayWindow]) throws {
    closes += windows.count
    let rules = try TestPlace.zones.zone(named: zone)
    var expected: [DayWindow] = []
    var day = Self.firstDay
    while let window = rules.window(of: day), window.end.adding(seconds: 3_600) < clock.now() {
      expected.append(window)
      day = day.adding(days: 1)
    }
    let isComplete = windows.starts(with: expected) && windows.count <= expected.count + 1
    if !isComplete {
      wrong.append("\(zone): closed \(windows.map(\.day)), not \(expected.map(\.day))")
    }
  }

  /// Who lost a streak really did nothing that day.
  private mutating func check(_ streak: StreakRecord, _ facts: LedgerFacts) {
    breaks += 1
    guard let user = life.users.first(where: { $0.id == streak.user }),
      let window = facts.closes[user.zone]?.first(where: { $0.day == streak.day })
    else { return wrong.append("\(streak.user) lost a streak on \(streak.day), which is open") }
    let isSpent = ActivityKind.allCases.contains {
      life.firstTouch(of: user, $0, from: window.start, to: window.end) != nil
    }
    if isSpent { wrong.append("\(streak.user) was there on \(streak.day) and lost the streak") }
  }
}
