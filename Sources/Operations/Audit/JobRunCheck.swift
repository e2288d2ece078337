import AuditPage
import CivilTime
import Scheduling

/// Checks that every job run due by the ledger's last record was recorded.
enum JobRunCheck {
  static let id = 11
  static let name = "job runs"

  /// Returns the check with these findings.
  static func check(_ findings: [JobAudit.Finding], _ list: FindingList) -> AuditReport.Check {
    let bad: Set<JobAudit.Verdict> = [.missed, .failed, .doubled]
    var list = list
    for finding in findings where bad.contains(finding.verdict) {
      let fire = finding.fire
      list.add(
        AuditReport.Finding(
          "job \(fire.job.name) in \(fire.zone), due \(fire.fire.nominalLocal): "
            + finding.verdict.rawValue + (finding.reason.map { ": \($0)" } ?? ""),
          day: fire.fire.nominalLocal.day))
    }
    return AuditReport.Check(id, name, examined: findings.count, list)
  }
}
