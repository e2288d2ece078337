import CivilTime
import Configuration
import Scheduling

/// Records the fires that a pause skips.
package struct JobPauses: Sendable {
  private let runtime: Runtime

  /// Creates the pauses of a runtime.
  package init(_ runtime: Runtime) { self.runtime = runtime }

  /// Records as skipped every fire of a paused job that is due now. Throws when the jobs cannot be read or the ledger cannot
  /// be written.
  package func recordSkipped(job name: String) async throws {
    let zones = runtime.environment.zones
    let now = runtime.clock.now()
    let jobs = try JobFolder.read(runtime.configuration, zones: zones)
    for job in jobs where job.name == name {
      var skipped = 0
      repeat {
        // A board decides on a limited number at a time, and a long pause may leave more.
        skipped = 0
        for position in await runtime.writer.positions(of: job) {
          let decisions = JobBoard(jobs: jobs).decisions(
            for: job, at: position, zones: zones, now: now)
          for case .skip(let fire, let reason) in decisions {
            try await runtime.writer.appendOnce(fire.record(of: "skipped", reason, at: now))
            skipped += 1
          }
        }
      } while skipped > 0
    }
  }
}
