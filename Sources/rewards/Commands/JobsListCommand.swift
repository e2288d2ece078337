import CivilTime
import Configuration
import Ledger
import LedgerStore
import Operations
import Scheduling
import StrictJSON

/// Shows the jobs and when they run next.
struct JobsListCommand: Command {
  static let spec = CommandSpec(
    "jobs list", "the jobs, whether they are paused, and when they run next",
    examples: [
      .init("rewards jobs list", "every job with its next time in each zone"),
      .init("rewards jobs list --format json", "for another program"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let jobs = try JobFolder.read(configuration.jobs, zones: context.zones)
    let ledger = try await StateReading.readIfThere(DataDirectory(configuration.data))
    let board = JobBoard(jobs: jobs)
    context.report {
      var table = TextTable(["JOB", "SCHEDULE", "ZONE", "STATE", "NEXT"])
      for job in jobs {
        let state =
          !job.isEnabled ? "disabled" : ledger.jobs.pauses[job.name] == nil ? "enabled" : "paused"
        let fires = next(job, board, ledger, context)
        if fires.isEmpty {
          table.add([job.name, job.schedule.expression, job.place.name, state, "-"])
        }
        for fire in fires {
          table.add([
            job.name, job.schedule.expression, fire.zone, state,
            "\(fire.fire.nominalLocal)  \(fire.begin)",
          ])
        }
      }
      return table.text
    } json: { json in
      json.objects("jobs", jobs) { json, job in
        write(job, next(job, board, ledger, context), ledger.jobs.pauses[job.name], to: &json)
      }
    }
    return .done
  }

  private static func next(
    _ job: Job, _ board: JobBoard, _ ledger: LedgerState, _ context: CommandContext
  ) -> [JobFire] {
    let now = context.clock.now()
    return ledger.positions(of: job).compactMap {
      board.nextFire(of: job, at: $0, zones: context.zones, now: now)
    }
    .sorted { ($0.begin, $0.zone) < ($1.begin, $1.zone) }
  }

  private static func write(
    _ job: Job, _ fires: [JobFire], _ pause: PauseMark?, to json: inout JSONWriter
  ) {
    json.member("name", job.name)
    json.member("schedule", job.schedule.expression)
    json.member("timeZone", job.place.name)
    json.member("do", job.command)
    json.member("enabled", job.isEnabled)
    json.key("paused")
    if let pause {
      json.beginObject()
      json.member("since", pause.since.description)
      json.member("reason", pause.reason)
      json.member("actor", pause.actor)
      json.endObject()
    } else {
      json.null()
    }
    json.objects("next", fires) { json, fire in
      json.member("zone", fire.zone)
      json.member("nominalLocal", fire.fire.nominalLocal.description)
      json.member("nominal", fire.fire.instant.description)
      json.member("begin", fire.begin.description)
    }
  }
}
