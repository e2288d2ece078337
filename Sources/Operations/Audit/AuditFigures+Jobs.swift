import AuditPage
import CivilTime
internal import Scheduling

extension AuditFigures.Job {
  /// Returns the punctuality of each job, by name.
  static func jobs(of findings: [JobAudit.Finding]) -> [AuditFigures.Job] {
    var jobs: [String: AuditFigures.Job] = [:]
    var lateness: [String: [Int64]] = [:]
    for finding in findings {
      let name = finding.fire.job.name
      var job = jobs[name] ?? AuditFigures.Job(name: name)
      switch finding.verdict {
      case .onTime: job.runs += 1
      case .late, .caughtUp:
        job.runs += 1
        job.late += 1
        if let actual = finding.actual {
          lateness[name, default: []].append(actual.seconds(since: finding.fire.fire.instant))
        }
      case .failed: job.failed += 1
      case .missed: job.missed += 1
      case .overlap, .paused: job.skipped += 1
      case .pending: break
      case .doubled: job.runs += 1
      }
      jobs[name] = job
    }
    return jobs.values.sorted { $0.name < $1.name }.map { job in
      var job = job
      let late = (lateness[job.name] ?? []).sorted()
      job.medianLateSeconds = late.isEmpty ? nil : late[late.count / 2]
      job.worstLateSeconds = late.last
      return job
    }
  }
}
