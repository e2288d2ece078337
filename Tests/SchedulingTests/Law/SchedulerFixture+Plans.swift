import CivilTime
import Engine
import Ledger
import RewardRules
import Scheduling

extension SchedulerFixture {
  static let always = Day(number: 0)...Day(number: 40_000)

  /// What should be done for every user, worked out from the records alone.
  func plans(
    plan: String, clawsBack: Bool, range: ClosedRange<Day>? = SchedulerFixture.always
  ) async -> [UserPlan] {
    await timelines.map {
      UserPlan(
        $0,
        PlanTerms(
          plan: plan, days: range, protection: clawsBack ? .nothing : .everything,
          through: ledger.head.seq, now: clock.now()))
    }
  }

  /// Closes a day of November 2026 by UTC, 20 minutes after its end, with nothing more to see.
  func closeDay(_ day: Int) async throws {
    try set("2026-11-\(day + 1)T00:20:00Z")
    try await seeNothing()
    try await closeAll()
  }

  /// Puts rules into use, and judges the first user's open days by them.
  func use(_ documents: RulesDocument...) async throws {
    _ = try await RulesUse(writer).record(documents, by: "test")
    _ = try await OpenDayEvaluation(writer).run(over: [0])
  }

  /// Does it, and judges the open days that depend on it.
  func backfill(
    plan: String, clawsBack: Bool, range: ClosedRange<Day> = SchedulerFixture.always
  ) async throws {
    try await append(await plans(plan: plan, clawsBack: clawsBack, range: range))
  }

  /// Takes back what of `keys` stands, or gives it back, with everything that depends on it.
  func reverse(
    _ keys: Set<String>, undone: Bool = false, plan: String,
    _ protection: LossProtection = .nothing,
    holdings: (String) -> Amounts? = { _ in nil }
  ) async throws {
    let terms = PlanTerms(
      plan: plan, days: nil, protection: protection, through: ledger.head.seq, now: clock.now())
    let plans = await timelines.map { timeline in
      let acts = timeline.grants.filter {
        keys.contains($0.text) && $0.isReversed == undone
      }.map {
        RecordBody.reversal(
          ReversalRecord(
            of: $0, user: timeline.account.id, undone: undone, reason: "a test", actor: "tester"))
      }
      return UserPlan(timeline, terms, acts: acts, holdings: holdings(timeline.account.id))
    }
    try await append(plans)
  }

  /// The whole past of every user, up to the running day.
  var timelines: [Timeline] {
    get async {
      var state = LedgerState(.pastsWhere { _ in true })
      for record in records { state.apply(record) }
      let terms = await writer.read { $0.terms }
      var windows = Windows(zones: Self.zones)
      return state.accounts.indices.map { index in
        let account = state.account(at: index)
        let days = try? windows.open(
          of: account, zone: state.zone(of: account), through: clock.now(), in: state)
        return Timeline(
          account: account, history: state.history(at: index), openWindows: days ?? [],
          excuses: state.excuses(for: account.id), rules: state.rules, terms: terms)
      }
    }
  }

  private func append(_ plans: [UserPlan]) async throws {
    _ = try await PlanAppending(writer).append(plans)
    let count = await writer.read { $0.ledger.accounts.count }
    _ = try await OpenDayEvaluation(writer).run(over: 0..<count)
  }
}
