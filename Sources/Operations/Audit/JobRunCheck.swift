import CivilTime
import Ledger
import Scheduling

/// Checks that every job run that was due up to the ledger's last record has one.
struct JobRunCheck: AuditCheck {
  static let id = 11
  static let name = "every job run that was due"

  var list: FindingList
  private(set) var examined = 0
  private var audit: JobAudit

  init(list: FindingList, jobs: [Job], zones: any ZoneSource, now: Instant) {
    self.list = list
    audit = JobAudit(jobs: jobs, zones: zones, now: now)
  }

  mutating func take(_ record: Record, before book: Book) { audit.add(record) }

  mutating func finish(_ book: Book) {
    let bad: Set<JobAudit.Verdict> = [.missed, .failed, .doubled]
    for finding in audit.findings(from: .earliest, to: book.at) {
      examined += 1
      guard bad.contains(finding.verdict) else { continue }
      let fire = finding.fire
      list.add(
        AuditReport.Finding(
          "job \(fire.job.name) in \(fire.zone), due \(fire.fire.nominalLocal): "
            + finding.verdict.rawValue + (finding.reason.map { ": \($0)" } ?? ""),
          day: fire.fire.nominalLocal.day))
    }
  }
}
