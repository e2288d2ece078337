import CivilTime
package import Configuration
import Digests
import Engine
import Foundations
import Ledger
package import LedgerStore
internal import RewardRules
import Scheduling

/// Works out corrections of past days. Changes nothing; reads the ledger up to its last seal, whether or not a service
/// holds it.
package struct BackfillPlanner: Sendable {
  private let configuration: Configuration
  private let environment: RuntimeEnvironment

  /// Creates a planner for this configuration's ledger.
  package init(_ configuration: Configuration, _ environment: RuntimeEnvironment) {
    self.configuration = configuration
    self.environment = environment
  }

  /// Returns the plan for `order`; the same ledger always gives the same records. The losses on open days are those at this
  /// moment. Throws ``LedgerStore/LedgerError`` or ``Configuration/SecretError``.
  package func plan(
    _ order: BackfillOrder, in reader: LedgerReader
  ) async throws -> BackfillPlan {
    try await BlockingThread(named: "rewards.backfill").run {
      try plan(order, reader, state(for: order, in: reader))
    }
  }

  /// A plan that is proposed to somebody who has not seen it.
  package struct Proposal: Sendable {
    /// The plan.
    package let plan: BackfillPlan
    /// The versions of configured rules that the ledger does not hold: no plan knows them.
    package let rulesNotInUse: [String]
  }

  /// Returns the plan for `order`, whose days without any are those that wait for a backfill; nil if none waits. Throws as
  /// ``plan(_:in:)``.
  package func propose(
    _ order: BackfillOrder, in reader: LedgerReader
  ) async throws -> Proposal? {
    try await BlockingThread(named: "rewards.backfill").run {
      let state = try state(for: order, in: reader)
      var order = order
      if order.days == nil, let state {
        order.days = try WaitingDays.read(reader, state, configuration, environment).span
        if order.days == nil { return nil }
      }
      let loaded = try RulesFiles.load(configuration).map(\.document)
      var known: Set<String> = []
      try reader.scan(.ofTypes([.rules])) {
        if case .rules(let rules) = $0.body { known.insert(rules.document) }
      }
      return Proposal(
        plan: try plan(order, reader, state),
        rulesNotInUse: loaded.filter {
          !known.contains($0.canonicalText) && (known.isEmpty || !$0.isBuiltIn)
        }.map(\.version))
    }
  }

  /// Returns the state at the head if `order` leaves open which days or users it is about, otherwise nil.
  private func state(for order: BackfillOrder, in reader: LedgerReader) throws -> LedgerState? {
    order.days == nil || order.users.isEmpty && !order.isForAll ? try reader.state() : nil
  }

  private func plan(
    _ order: BackfillOrder, _ reader: LedgerReader, _ state: LedgerState?
  ) throws -> BackfillPlan {
    let id = Self.id(of: order, reader: reader)
    let madeAt = environment.clock.now()
    let plans = try plans(order, id: id, madeAt: madeAt, reader: reader, state)
    return BackfillPlan(
      id: id, ledger: reader.ledger, head: reader.head, madeAt: madeAt, order: order, plans: plans)
  }

  /// Returns those of `users` who are not in the ledger.
  package func strangers(
    among users: [String], in reader: LedgerReader
  ) async throws -> [String] {
    if users.isEmpty { return [] }
    return try await BlockingThread(named: "rewards.backfill").run {
      var known: Set<String> = []
      try reader.scan(.of(.named(users))) { record in
        if case .user(let user) = record.body { known.insert(user.user) }
      }
      return users.filter { !known.contains($0) }
    }
  }

  /// Returns the plan for `order` with reversals or releases, and everything that depends on them.
  ///
  /// `acts` derives them from each user's timeline and the plan's id. Leaves out users without acts.
  func plan(
    _ order: BackfillOrder, reader: LedgerReader, users: Set<String>, naming: String,
    acts: @escaping @Sendable (Timeline, _ plan: String) -> [RecordBody]
  ) throws -> (plan: BackfillPlan, parts: [UserPlan]) {
    let id = Self.id(of: order, naming: naming, reader: reader)
    let madeAt = environment.clock.now()
    let terms = order.terms(plan: id, through: reader.head.seq, now: madeAt)
    let gathering = PlanGathering(terms: terms, holdings: order.holdings, acts: acts)
    let parts = try reading(reader).read(gathering, of: users).plans
    let plan = BackfillPlan(
      id: id, ledger: reader.ledger, head: reader.head, madeAt: madeAt, order: order, plans: parts)
    return (plan, parts)
  }

  /// Works out the same plan on the current ledger, for comparison before it is applied; the value is nil for a user whose
  /// records are all in the ledger already. Facts that came after the plan was made wait for another plan.
  func plans(again plan: BackfillPlan) async throws -> [String: UserPlan?] {
    let planned = Dictionary(uniqueKeysWithValues: plan.users.map { ($0.user, $0) })
    return try await BlockingThread(named: "rewards.backfill").run {
      let reader = try LedgerReader.open(configuration.directory)
      let terms = plan.order.terms(plan: plan.id, through: plan.head.seq, now: plan.madeAt)
      let gathering = PlanGathering(
        terms: terms, holdings: plan.order.holdings, planned: planned
      ) { timeline, _ in planned[timeline.account.id]?.acts ?? [] }
      let done = try reading(reader).read(gathering, of: Set(planned.keys))
      var present = Dictionary(uniqueKeysWithValues: done.held.map { ($0, UserPlan?.none) })
      for plan in done.plans { present[plan.user] = plan }
      return present
    }
  }

  /// Returns the parts of every user with records or issues.
  private func plans(
    _ order: BackfillOrder, id: String, madeAt: Instant, reader: LedgerReader,
    _ state: LedgerState?
  ) throws -> [UserPlan] {
    var users: Set<String>? = order.users.isEmpty ? nil : order.users
    if users == nil, !order.isForAll, let state {
      // Their closed days may have to change, by facts that no plan has brought in.
      users = Set(state.accounts.lazy.filter(state.hasLateFacts).map(\.id))
    }
    let terms = order.terms(plan: id, through: reader.head.seq, now: madeAt)
    return try reading(reader).read(
      PlanGathering(terms: terms, holdings: order.holdings) { _, _ in [] }, of: users
    ).plans
  }

  private func reading(_ reader: LedgerReader) -> SharedReading {
    SharedReading(reader: reader, configuration: configuration, environment: environment)
  }

  /// Returns the id of a plan, derived from everything on which its records depend.
  private static func id(
    of order: BackfillOrder, naming: String = "", reader: LedgerReader
  ) -> String {
    let days = order.days.map { "\($0.lowerBound) \($0.upperBound)" } ?? "-"
    let holdings = order.holdings.sorted { $0.key < $1.key }.map { user, amounts in
      "\(user)=" + RewardUnit.held.map { "\(amounts[$0])" }.joined(separator: ",")
    }
    let text =
      [
        reader.ledger, "\(reader.head)", days, order.protection.rawValue, "\(order.isForAll)",
        naming,
      ] + order.users.sorted() + ["-"] + holdings
    return String(
      SHA256.digest(of: Array(text.joined(separator: " ").utf8)).description.prefix(12))
  }
}

/// Plans some users; leaves out those without records or issues.
private struct PlanGathering: PastGathering {
  /// The losses on open days are reported when a plan is made, not when it is applied.
  var needsOpenDays: Bool { planned == nil }

  let terms: PlanTerms
  let holdings: [String: Amounts]
  /// The plan that is about to be applied; with one, every user is kept.
  let planned: [String: BackfillPlan.User]?
  let acts: @Sendable (Timeline, _ plan: String) -> [RecordBody]
  private(set) var plans: [UserPlan] = []
  /// The users for whom the ledger holds all that was planned.
  private(set) var held: [String] = []

  init(
    terms: PlanTerms, holdings: [String: Amounts],
    planned: [String: BackfillPlan.User]? = nil,
    acts: @escaping @Sendable (Timeline, _ plan: String) -> [RecordBody]
  ) {
    self.terms = terms
    self.holdings = holdings
    self.planned = planned
    self.acts = acts
  }

  mutating func examine(_ timeline: Timeline) {
    let user = timeline.account.id
    var plan = UserPlan(
      timeline, terms, acts: acts(timeline, terms.plan), holdings: holdings[user])
    if let planned = planned?[user] {
      let isHeld = plan.records.isEmpty && planned.records.allSatisfy(timeline.holds)
      if isHeld { held.append(user) } else { plans.append(plan) }
    } else if !plan.isEmpty {
      plan.addOpenDayLoss()
      plans.append(plan)
    }
  }

  mutating func merge(_ other: PlanGathering) {
    plans += other.plans
    held += other.held
  }
}
