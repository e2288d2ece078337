import CivilTime
import Engine
import Evidence
import Foundations
import Ledger
import RewardRules
import Scheduling

/// A writer with a clock that is set by hand, a ledger in memory, and polls that outlive a restart.
final class SchedulerFixture {
  static let zones: any ZoneSource = SystemZones(directory: nil)
  static let lag: Int64 = 10
  /// Never objects.
  static let noGuard = MassBreakGuard(factor: 5, minimumStreaks: .max)

  let clock: SetClock
  let ledger: FlakyLedger
  let looks = KeptLooks()
  let api: InMemoryActivityAPI
  private(set) var writer: LedgerWriter
  private let terms: EngineTerms
  private let zones: any ZoneSource
  /// What the clock shows once the first users are there.
  private var opening: Instant?

  init(
    at instant: Instant, rules: RulesDocument = .builtIn, watched: KindSet = .all,
    countsFollows: Bool = false, zones: any ZoneSource = SchedulerFixture.zones
  ) async throws {
    self.zones = zones
    // The first users are known since their day began: else the inbox could prove nothing of that day.
    clock = SetClock(Instant(seconds: instant.seconds - instant.seconds % 86_400))
    opening = instant
    ledger = FlakyLedger(clock: clock)
    api = InMemoryActivityAPI(clock: clock)
    terms = EngineTerms(
      draws: DrawSecret([1, 2, 3]), lagSeconds: Self.lag, watched: watched,
      countsFollows: countsFollows)
    writer = LedgerWriter(
      WorkingState(LedgerState(), terms: terms, zones: zones, clock: clock), ledger: ledger)
    _ = try await RulesUse(writer).record([rules], by: "test")
  }

  convenience init(
    at instant: String, rules: RulesDocument = .builtIn, watched: KindSet = .all,
    countsFollows: Bool = false, zones: any ZoneSource = SchedulerFixture.zones
  ) async throws {
    try await self.init(
      at: Self.instant(instant), rules: rules, watched: watched, countsFollows: countsFollows,
      zones: zones)
  }

  var records: [Record] { ledger.records }
  var intake: LookIntake { LookIntake(writer, keeping: looks, past: ledger) }
  var inboxIntake: InboxIntake { InboxIntake(writer, keeping: looks, past: ledger) }
  var poller: Poller { Poller(api: api, writer: writer, intake: intake, clock: clock) }

  /// What the records alone make.
  var foldedState: LedgerState {
    records.reduce(into: LedgerState()) { $0.apply($1) }
  }

  func set(_ instant: String) throws { clock.set(try Self.instant(instant)) }

  /// A new writer over what the ledger and the kept polls say.
  func restart() {
    var state = WorkingState(foldedState, terms: terms, zones: zones, clock: clock)
    for entry in looks.entries { state.restore(entry) }
    state.restore(inboxThrough: looks.inboxThrough, now: clock.now())
    writer = LedgerWriter(state, ledger: ledger)
  }

  /// Lets one person give as many points in an act; while the ledger has no users.
  func allow(_ points: Int64) async throws {
    var limits = HandLimits()
    limits.byHand.points = points
    _ = try await LimitsUse(writer).propose(limits, by: "test")
  }

  /// Imports roster lines.
  @discardableResult
  func hire(_ lines: String...) async throws -> RosterImport.Result {
    let text = lines.joined(separator: "\n")
    defer {
      if let opening { clock.set(opening) }
      opening = nil
    }
    return try await RosterImport(writer).run(
      RosterFile(Array(text.utf8)), defaultZone: "Asia/Tokyo", by: "test")
  }

  /// Takes inbox activities in, each `USER KIND INSTANT`, read now.
  @discardableResult
  func inbox(_ lines: String...) async throws -> InboxIntake.Result {
    var parsed: [InboxLine] = []
    for (index, line) in lines.enumerated() {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3, let kind = ActivityKind(name: words[1]) else { throw Malformed() }
      parsed.append(
        InboxLine(
          number: index + 1,
          entry: .activity(user: words[0], kind: kind, at: try Self.instant(words[2]))))
    }
    return try await inboxIntake.add(parsed, readAt: clock.now())
  }
  struct Malformed: Error {}

  /// A line of the inbox about a credit.
  static func credit(
    number: Int = 1, of user: String, at instant: String, points: Int64 = 0, exp: Int64 = 0,
    coins: Int64 = 0, items: [String] = [], boosterDays: Int64 = 0, id: String? = nil
  ) throws -> InboxLine {
    let credit = Credit(
      effective: try Self.instant(instant), points: points, exp: exp, coins: coins, items: items,
      boosterDays: boosterDays)
    return InboxLine(
      number: number, entry: .credit(CreditRecord(user: user, credit, id: id)))
  }

  /// Says that the inbox is empty now.
  func noteInbox() async {
    await inboxIntake.markComplete(through: clock.now())
  }

  /// The index of a user's account.
  func index(of user: String) async throws -> Int {
    guard let index = await writer.read({ $0.ledger.index(of: user) }) else { throw Malformed() }
    return index
  }

  /// Visits one user at the API's routes.
  @discardableResult
  func visit(_ user: String) async throws -> Poller.Round {
    try await poller.poll(try await index(of: user))
  }

  /// Polls all three routes with these outcomes, whether they are worth it or not.
  @discardableResult
  func look(
    at user: String, stream: Look.Outcome = SchedulerFixture.nothing,
    watch: Look.Outcome = SchedulerFixture.nothing,
    gift: Look.Outcome = SchedulerFixture.nothing
  ) async throws -> Receipt {
    let outcomes: [(Source, Look.Outcome)] = [
      (.lastStream, stream), (.watchedStreams, watch), (.lastGift, gift),
    ]
    return try await intake.add(
      outcomes.map { Look(route: $0.0, at: clock.now(), outcome: $0.1) },
      of: try await index(of: user))
  }

  static let nothing = Look.Outcome.answered([], refused: [])

  /// Polls every user, sees nothing, and says that the inbox is empty.
  func seeNothing() async throws {
    await noteInbox()
    let count = await writer.read { $0.ledger.accounts.count }
    for user in 0..<count {
      _ = try await intake.add(
        Source.routes.map { Look(route: $0, at: clock.now(), outcome: Self.nothing) }, of: user)
    }
  }

  /// Closes all that is due, and returns what came of each.
  @discardableResult
  func closeAll(
    zones: Set<String>? = nil, through day: Day? = nil,
    guarding: MassBreakGuard = SchedulerFixture.noGuard,
    isConfirmed: Bool = false, beside others: StreakCount = StreakCount(), unheard: [Int] = []
  ) async throws -> [CloseReport] {
    let closer = DayCloser(writer, guarding: guarding)
    var reports: [CloseReport] = []
    for due in await closer.due(endedBy: clock.now(), zones: zones, through: day) {
      reports.append(
        try await closer.close(
          due, isConfirmed: isConfirmed, actor: "tester", beside: others, unheard: unheard))
    }
    // A closed day may decide what a later one grants.
    let users = await writer.read { $0.ledger.accounts.count }
    _ = try await OpenDayEvaluation(writer).run(over: 0..<users)
    return reports
  }

  func balance(of user: String) async -> Balance? {
    await writer.read { $0.ledger.balance(of: user) }
  }

  func account(_ user: String) async throws -> Account {
    guard let account = await writer.read({ $0.ledger.account(of: user) }) else {
      throw Malformed()
    }
    return account
  }

  /// How many records judging everybody again would append.
  func missingCount() async -> Int {
    let count = await writer.read { $0.ledger.accounts.count }
    return await OpenDayEvaluation(writer).missingCount(of: 0..<count)
  }

  static func instant(_ text: String) throws -> Instant {
    let utc = try zones.zone(named: "Etc/UTC")
    return try InstantText.parse(text, naiveZone: utc).instant
  }
}

extension SchedulerFixture {
  /// So many users who bring a streak of three days, `u0` and on, on the morning of 2026-11-20.
  static func crowd(of count: Int) async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    let lines = (0..<count).map {
      #"{"user":"u\#($0)","timezone":"Etc/UTC","opening":{"streak":3}}"#
    }
    try await fixture.hire(lines.joined(separator: "\n"))
    return fixture
  }

  /// The closes that are due now.
  func dueCloses(zones: Set<String>? = nil, through day: Day? = nil) async -> [DueClose] {
    await DayCloser(writer, guarding: Self.noGuard).due(
      endedBy: clock.now(), zones: zones, through: day)
  }
}
