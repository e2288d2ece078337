import CivilTime
import Ledger
import Scheduling

extension Office {
  static let always = Day(number: 0)...Day(number: 40_000)

  /// What should be done for every user, worked out from the records alone.
  func backfills(
    plan: String, clawsBack: Bool, range: ClosedRange<Day> = Office.always
  ) async throws -> [UserBackfill] {
    var fold = PastFold(zones: Office.zones) { _ in true }
    for record in records { fold.apply(record) }
    let context = await clerk.read { $0.context }
    return fold.pasts.map {
      UserBackfill(
        $0, context: context,
        terms: BackfillTerms(
          plan: plan, range: range, protection: clawsBack ? .nothing : .everything))
    }
  }

  /// Does it, and judges the open days that hang on it.
  func backfill(
    plan: String, clawsBack: Bool, range: ClosedRange<Day> = Office.always
  ) async throws {
    _ = try await clerk.append(
      try await backfills(plan: plan, clawsBack: clawsBack, range: range))
    let count = await clerk.read { $0.book.accounts.count }
    _ = try await clerk.judgeOpenDays(of: 0..<count)
  }

  /// Takes back what of `keys` stands, or gives it back, with everything that hangs on it.
  func reverse(
    _ keys: Set<String>, undone: Bool = false, plan: String,
    _ protection: LossProtection = .nothing,
    holdings: (String) -> Holdings? = { _ in nil }
  ) async throws {
    var fold = PastFold(zones: Office.zones) { _ in true }
    for record in records { fold.apply(record) }
    let context = await clerk.read { $0.context }
    let terms = BackfillTerms(plan: plan, protection: protection)
    let backfills = fold.pasts.map { past in
      let acts = past.reopened.grants.filter {
        keys.contains($0.text) && $0.isReversed == undone
      }.map {
        RecordBody.reversal(
          ReversalRecord(
            of: $0, user: past.account.id, undone: undone, reason: "a test", actor: "tester"))
      }
      return UserBackfill(
        past, context: context, terms: terms, acts: acts, holdings: holdings(past.account.id))
    }
    _ = try await clerk.append(backfills)
    let count = await clerk.read { $0.book.accounts.count }
    _ = try await clerk.judgeOpenDays(of: 0..<count)
  }
}
