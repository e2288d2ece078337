import CivilTime
import Evidence
import Ledger
import RewardRules
import Scheduling
import ZoneFiles

/// A clerk with a clock that is set by hand, a ledger in memory, and looks that outlive a restart.
final class Office {
  static let zones: any ZoneSource = SystemZones(directory: nil)
  static let lag: Int64 = 10
  /// Never objects.
  static let noGuard = MassBreakGuard(factor: 5, minimumStreaks: .max)

  let clock: SetClock
  let ledger: FlakyLedger
  let looks = KeptLooks()
  let api: InMemoryActivityAPI
  private(set) var clerk: Clerk
  private let context: JudgeContext
  /// What the clock shows once the first users are there.
  private var opening: Instant?

  init(
    at instant: Instant, rules: RulesDocument = .builtIn, watched: KindSet = .all
  ) async throws {
    // The first users are known since their day began: else the inbox could prove nothing of that day.
    clock = SetClock(Instant(seconds: instant.seconds - instant.seconds % 86_400))
    opening = instant
    ledger = FlakyLedger(clock: clock)
    api = InMemoryActivityAPI(clock: clock)
    context = JudgeContext(
      rules: try RuleBook([rules]), draws: DrawSecret([1, 2, 3]), lagSeconds: Self.lag,
      watched: watched)
    clerk = Clerk(
      book: Book(), context: context, zones: Self.zones, clock: clock, ledger: ledger, looks: looks)
    _ = try await clerk.use(context.rules, draws: context.draws)
  }

  convenience init(
    at instant: String, rules: RulesDocument = .builtIn, watched: KindSet = .all
  ) async throws {
    try await self.init(at: Self.instant(instant), rules: rules, watched: watched)
  }

  var records: [Record] { ledger.records }
  var visitor: Visitor { Visitor(api: api, clerk: clerk, clock: clock) }

  /// What the records alone make.
  var foldedBook: Book {
    records.reduce(into: Book()) { $0.apply($1) }
  }

  func set(_ instant: String) throws { clock.set(try Self.instant(instant)) }

  /// A new clerk over what the ledger and the kept looks say.
  func restart() async {
    clerk = Clerk(
      book: foldedBook, context: context, zones: Self.zones, clock: clock, ledger: ledger,
      looks: looks)
    await clerk.restore(looks.entries, watermark: looks.watermark)
  }

  /// Imports roster lines.
  @discardableResult
  func hire(_ lines: String...) async throws -> Clerk.RosterReceipt {
    let text = lines.joined(separator: "\n")
    defer {
      if let opening { clock.set(opening) }
      opening = nil
    }
    return try await clerk.take(RosterFile(Array(text.utf8)), defaultZone: "Asia/Tokyo")
  }

  /// Takes inbox activities in, each `USER KIND INSTANT`, read now.
  @discardableResult
  func inbox(_ lines: String...) async throws -> Clerk.InboxReceipt {
    var parsed: [InboxLine] = []
    for (index, line) in lines.enumerated() {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3, let kind = ActivityKind(name: words[1]) else { throw Malformed() }
      parsed.append(
        InboxLine(
          number: index + 1,
          entry: .activity(user: words[0], kind: kind, at: try Self.instant(words[2]))))
    }
    return try await clerk.take(parsed, readAt: clock.now())
  }
  struct Malformed: Error {}

  /// Says that the inbox is empty now.
  func noteInbox() async {
    await clerk.noteInbox(readAt: clock.now(), requiresWatermark: false)
  }

  /// The index of a user's account.
  func index(of user: String) async throws -> Int {
    guard let index = await clerk.read({ $0.book.index(of: user) }) else { throw Malformed() }
    return index
  }

  /// Visits one user at the API's routes.
  @discardableResult
  func visit(_ user: String) async throws -> Visitor.Round {
    try await visitor.visit(try await index(of: user))
  }

  /// Looks at all three routes with these outcomes, whether they are worth asking or not.
  @discardableResult
  func look(
    at user: String, stream: LookOutcome = Office.nothing, watch: LookOutcome = Office.nothing,
    gift: LookOutcome = Office.nothing
  ) async throws -> Receipt {
    let outcomes: [(Source, LookOutcome)] = [
      (.lastStream, stream), (.watchedStreams, watch), (.lastGift, gift),
    ]
    return try await clerk.take(
      Visit(
        user: try await index(of: user),
        looks: outcomes.map {
          Visit.RouteLook(route: $0.0, look: Look(at: clock.now(), outcome: $0.1))
        }))
  }

  static let nothing = LookOutcome.answered([], refused: [])

  /// Looks at every user, sees nothing, and says that the inbox is empty.
  func seeNothing() async throws {
    await noteInbox()
    let count = await clerk.read { $0.book.accounts.count }
    for user in 0..<count {
      _ = try await clerk.take(
        Visit(
          user: user,
          looks: Source.routes.map {
            Visit.RouteLook(route: $0, look: Look(at: clock.now(), outcome: Self.nothing))
          }))
    }
  }

  /// Closes all that is due, and returns what came of each.
  @discardableResult
  func closeAll(
    zones: Set<String>? = nil, through day: Day? = nil, guarding: MassBreakGuard = Office.noGuard,
    isConfirmed: Bool = false
  ) async throws -> [CloseReport] {
    var reports: [CloseReport] = []
    for due in await clerk.dueCloses(endedBy: clock.now(), zones: zones, through: day) {
      reports.append(
        try await clerk.close(
          due, guarding: guarding, isConfirmed: isConfirmed, actor: "tester"))
    }
    return reports
  }

  func balance(of user: String) async -> Balance? {
    await clerk.read { $0.book.balance(of: user) }
  }

  func account(_ user: String) async throws -> Account {
    guard let account = await clerk.read({ $0.book.account(of: user) }) else { throw Malformed() }
    return account
  }

  /// How many records judging everybody again would append.
  func missingCount() async -> Int {
    let count = await clerk.read { $0.book.accounts.count }
    return await clerk.missingCount(of: 0..<count)
  }

  static func instant(_ text: String) throws -> Instant {
    let utc = try zones.zone(named: "Etc/UTC")
    return try InstantText.parse(text, naiveZone: utc).instant
  }
}
