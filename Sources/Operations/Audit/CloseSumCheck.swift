import AuditReport
import CivilTime
import Ledger
import RewardRules

/// Compares each `close` with the grants that it settles, and looks whether it has left anybody behind.
struct CloseSumCheck: AuditCheck {
  static let id = 8
  static let name = "close sums against the grants of the day"

  private(set) var list: FindingList
  var examined: Int { cohorts.closes.count }
  private var cohorts = CloseCohorts()
  /// What the grants of the users seen come to, for every close.
  private var sums: [Amounts] = []
  private var leftBehind = LeftBehind()

  init(list: FindingList) { self.list = list }

  /// Looks at a close, or at a line about a user, which may end a day of the user's own.
  mutating func add(_ record: Record, before state: LedgerState) {
    leftBehind.add(record, before: state)
    if case .user(let user) = record.body, user.takesEffect == nil { return }
    if case .close = record.body { sums.append(Amounts()) }
    // Held apart while the cohorts are told.
    var sums: [Amounts] = []
    swap(&sums, &self.sums)
    cohorts.add(
      record, before: state, havingGrants: true,
      each: { sums[$0] += $2.grants.standingAmounts(through: $1.window.day) })
    swap(&sums, &self.sums)
  }

  /// Looks at the end at the users of this share.
  mutating func finish(_ state: LedgerState, zones: any ZoneSource) {
    for finding in leftBehind.findings(state, zones: zones) { list.add(finding) }
  }

  /// Every share of the users sees every close.
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
          "the close of \(close.zone) says \(recorded.text); its grants sum up to \(sums.text)",
          seq: seq, day: close.window.day))
    }
  }
}
