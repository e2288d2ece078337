import CivilTime
import Digests
import Ledger
import LedgerStore
internal import RewardRules
import Scheduling
import Threading

/// Works out what the past should be. Changes nothing; reads the ledger up to its last seal, whether a service holds it
/// or not.
public struct BackfillPlanner: Sendable {
  private let configuration: Configuration
  private let surroundings: WorkplaceSurroundings

  /// A planner over the ledger of this configuration.
  public init(_ configuration: Configuration, _ surroundings: WorkplaceSurroundings) {
    self.configuration = configuration
    self.surroundings = surroundings
  }

  /// The plan for `order`; the same for the same ledger. Throws ``LedgerStore/LedgerError`` or ``SecretError``.
  public func plan(_ order: BackfillOrder) async throws -> BackfillPlan {
    try await BlockingThread(named: "rewards.backfill").run {
      let reader = try LedgerReader.open(DataDirectory(configuration.data))
      let id = Self.id(of: order, reader: reader)
      let backfills = try backfills(order, id: id, reader: reader)
      return BackfillPlan(
        id: id, ledger: reader.ledger, head: reader.head, order: order, backfills: backfills)
    }
  }

  /// The versions of configured rules that the ledger does not hold: no plan knows them.
  public func rulesNotInUse() async throws -> [String] {
    let loaded = try RulesFiles.load(configuration.rules).map(\.document)
    return try await BlockingThread(named: "rewards.backfill").run {
      var known: Set<String> = []
      try LedgerReader.open(DataDirectory(configuration.data)).readRecords(ofTypes: [.rules]) {
        if case .rules(let rules) = $0.body { known.insert(rules.document) }
      }
      return loaded.filter { !known.contains($0.canonicalText) }.map(\.version)
    }
  }

  /// The plan for `order` with acts, reversals or releases, that `acts` derives from the past of each of `users` and the plan's id; what hangs
  /// on them is worked out. Users without acts are left out.
  func plan(
    _ order: BackfillOrder, reader: LedgerReader, users: Set<String>, naming: String,
    acts: @escaping @Sendable (UserPast, _ plan: String) -> [RecordBody]
  ) throws -> BackfillPlan {
    let id = Self.id(of: order, naming: naming, reader: reader)
    let backfills = try backfills(of: users, order, id: id, reader: reader, acts: acts)
    return BackfillPlan(
      id: id, ledger: reader.ledger, head: reader.head, order: order, backfills: backfills)
  }

  /// What a plan of the same id would hold by now, to be compared before it is applied; nil for a user of whom the ledger
  /// holds everything.
  func backfills(again plan: BackfillPlan) async throws -> [String: UserBackfill?] {
    let planned = Dictionary(uniqueKeysWithValues: plan.users.map { ($0.user, $0) })
    return try await BlockingThread(named: "rewards.backfill").run {
      let reader = try LedgerReader.open(DataDirectory(configuration.data))
      let part = BackfillPart(
        terms: plan.order.terms(plan: plan.id), holdings: plan.order.holdings, planned: planned
      ) { past, _ in planned[past.account.id]?.acts ?? [] }
      let done = try reading(reader).read(part, of: Set(planned.keys))
      var present = Dictionary(uniqueKeysWithValues: done.held.map { ($0, UserBackfill?.none) })
      for backfill in done.backfills { present[backfill.user] = backfill }
      return present
    }
  }

  private func backfills(
    _ order: BackfillOrder, id: String, reader: LedgerReader
  ) throws -> [UserBackfill] {
    var users: Set<String>? = order.users.isEmpty ? nil : order.users
    if users == nil, !order.isForAll { users = try reading(reader).read(LateFinder()).users }
    return try backfills(of: users, order, id: id, reader: reader) { _, _ in [] }
  }

  /// The parts of these users, or of all when `users` is nil, for whom there is something to do or to say.
  private func backfills(
    of users: Set<String>?, _ order: BackfillOrder, id: String, reader: LedgerReader,
    acts: @escaping @Sendable (UserPast, _ plan: String) -> [RecordBody]
  ) throws -> [UserBackfill] {
    try reading(reader).read(
      BackfillPart(terms: order.terms(plan: id), holdings: order.holdings, acts: acts), of: users
    ).backfills
  }

  private func reading(_ reader: LedgerReader) -> PastReading {
    PastReading(reader: reader, configuration: configuration, surroundings: surroundings)
  }

  private static func id(
    of order: BackfillOrder, naming: String = "", reader: LedgerReader
  ) -> String {
    let days = order.days.map { "\($0.lowerBound) \($0.upperBound)" } ?? "-"
    let text =
      "\(reader.ledger) \(reader.head) \(days) \(order.protection.rawValue) \(naming)"
      + order.users.sorted().map { " \($0)" }.joined()
    return String(SHA256.digest(of: Array(text.utf8)).description.prefix(12))
  }
}

extension LateFinder: PastPart {
  static var needsPasts: Bool { false }

  mutating func take(_ record: Record, before fold: PastFold) { take(record, before: fold.book) }
}

/// What a plan makes of some users; those of whom nothing is to be done or said are left out.
private struct BackfillPart: PastPart {
  let terms: BackfillTerms
  let holdings: [String: Holdings]
  /// A plan that is about to be applied; then everybody is kept.
  let planned: [String: BackfillPlan.User]?
  let acts: @Sendable (UserPast, _ plan: String) -> [RecordBody]
  private(set) var backfills: [UserBackfill] = []
  /// Users of whom the ledger holds all that was planned.
  private(set) var held: [String] = []

  init(
    terms: BackfillTerms, holdings: [String: Holdings],
    planned: [String: BackfillPlan.User]? = nil,
    acts: @escaping @Sendable (UserPast, _ plan: String) -> [RecordBody]
  ) {
    self.terms = terms
    self.holdings = holdings
    self.planned = planned
    self.acts = acts
  }

  mutating func examine(_ past: UserPast, _ context: JudgeContext) {
    let user = past.account.id
    let backfill = UserBackfill(
      past, context: context, terms: terms, acts: acts(past, terms.plan),
      holdings: holdings[user])
    if let planned = planned?[user] {
      let isHeld = backfill.records.isEmpty && planned.records.allSatisfy(past.holds)
      if isHeld { held.append(user) } else { backfills.append(backfill) }
    } else if !backfill.isEmpty {
      backfills.append(backfill)
    }
  }

  mutating func merge(_ other: BackfillPart) {
    backfills += other.backfills
    held += other.held
  }
}
