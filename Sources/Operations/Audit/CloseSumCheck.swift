import AuditPage
import CivilTime
import Ledger
import RewardRules

/// Compares each `close` with the grants of the days that it closes, and checks whether it left anyone behind.
struct CloseSumCheck: AuditCheck {
  static let id = 8
  static let name = "close totals"

  private(set) var list: FindingList
  var examined: Int { cohorts.closes.count }
  private var cohorts = CloseCohorts()
  /// The sum of the examined users' grants, for every close.
  private var sums: [Amounts] = []
  private var leftBehind = LeftBehind()

  init(list: FindingList) { self.list = list }

  /// Examines a close, or a line about a user, which may end a day for that user alone.
  mutating func add(_ record: Record, before state: LedgerState) {
    leftBehind.add(record, before: state)
    if case .user(let user) = record.body, user.takesEffect == nil { return }
    if case .close = record.body { sums.append(Amounts()) }
    // Held outside `self` while `cohorts` is mutated.
    var sums: [Amounts] = []
    swap(&sums, &self.sums)
    cohorts.add(
      record, before: state, havingGrants: true,
      each: { sums[$0] += $2.grants.standingAmounts(through: $1.window.day) })
    swap(&sums, &self.sums)
  }

  /// Examines the users of this share at the end.
  mutating func finish(_ state: LedgerState, zones: any ZoneSource) {
    for finding in leftBehind.findings(state, zones: zones) { list.add(finding) }
  }

  /// Adds the sums of other users; every share of the users sees every close.
  mutating func merge(_ other: CloseSumCheck) {
    list.merge(other.list)
    for (index, sum) in other.sums.enumerated() { sums[index] += sum }
  }

  mutating func conclude() {
    for ((seq, close), sums) in zip(cohorts.closes, sums) {
      let recorded = close.amounts(whereUntold: sums)
      if recorded == sums { continue }
      list.add(
        AuditReport.Finding(
          "the close of \(close.zone) states \(recorded.text), but its grants add up to \(sums.text)",
          seq: seq, day: close.window.day))
    }
  }
}
