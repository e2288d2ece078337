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
      UserBackfill($0, context: context, range: range, plan: plan, clawsBack: clawsBack)
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
}
