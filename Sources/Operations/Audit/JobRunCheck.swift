import AuditReport
import CivilTime
import Ledger
import LedgerStore
import Scheduling

/// Checks that every job run that was due up to the ledger's last record has one.
enum JobRunCheck {
  static let id = 11
  static let name = "every job run that was due"

  /// What the records of jobs need to be understood.
  private static let types: Set<RecordType> = [
    .genesis, .user, .rules, .excuse, .close, .operator, .run,
  ]

  /// Reads the runs up to the ledger's last record and compares them with `jobs`.
  static func findings(
    in reader: LedgerReader, jobs: [Job], zones: any ZoneSource, now: Instant
  ) throws -> [JobAudit.Finding] {
    var audit = JobAudit(jobs: jobs, zones: zones, now: now)
    try reader.readRecords(ofTypes: types) { audit.add($0) }
    var last = Instant.earliest
    try reader.readRecords(after: reader.head.seq - 1) { last = $0.at }
    return audit.findings(from: .earliest, to: last)
  }

  /// The check of what was found.
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
