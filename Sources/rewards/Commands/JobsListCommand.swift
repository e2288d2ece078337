import CivilTime
import Configuration
import Failures
import Ledger
import LedgerStore
import Operations
import Scheduling
import StrictJSON

/// Shows the jobs and when they run next.
struct JobsListCommand: Command {
  static let spec = CommandSpec(
    "jobs list", "the jobs: what they do, when next, and what came of the last run", shards: .each,
    details: """
      DUE is the oldest fire that should have begun and is not recorded: a service that runs, or rewards run
      JOB.json --due, does it at once. NEXT is never in the past.
      """,
    examples: [
      .init("rewards jobs list", "every job with its next time in each zone"),
      .init("rewards jobs list --format json", "for another program"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let context = try await context.inTimeOfLedger(configuration)
    let jobs = try JobFolder.all(configuration, zones: context.zones)
    let ledger = try await StateReading.readIfThere(configuration.directory)
    let board = JobBoard(jobs: jobs)
    context.report {
      var table = TextTable([
        "JOB", "SCHEDULE", "DOES", "ZONE", "STATE", "DUE", "NEXT", "LAST RUN",
      ])
      for job in jobs {
        let state =
          !job.isEnabled ? "disabled" : ledger.jobs.pauses[job.name] == nil ? "enabled" : "paused"
        let places = places(job, board, ledger, context)
        if places.isEmpty {
          table.add([
            job.name, job.schedule.expression, job.commandText, job.place.name, state, "-", "-",
            "-",
          ])
        }
        for place in places {
          table.add([
            job.name, job.schedule.expression, job.commandText, place.zone, state,
            place.due.map { "since \($0.fire.nominalLocal)" } ?? "-",
            place.next.map { "\($0.fire.nominalLocal)  \($0.begin)" } ?? "-", last(place),
          ])
        }
      }
      return table.text
    } json: { json in
      json.objects("jobs", jobs) { json, job in
        write(
          job, places(job, board, ledger, context), ledger.jobs.pauses[job.name], to: &json)
      }
    }
    return .done
  }

  /// A job in one zone.
  private struct Place {
    let zone: String
    /// The oldest fire that should have begun and has no record.
    let due: JobFire?
    /// The next fire to come.
    let next: JobFire?
    let last: RunOutcome?
  }

  private static func last(_ place: Place) -> String {
    place.last.map { run in
      "\(run.outcome) \(run.at)" + (run.reason.map { " (\($0))" } ?? "")
    } ?? "-"
  }

  private static func places(
    _ job: Job, _ board: JobBoard, _ ledger: LedgerState, _ context: CommandContext
  ) -> [Place] {
    let now = context.present
    return ledger.positions(of: job).compactMap { position in
      let last = ledger.jobs.lastOutcomes[JobMarks.key(of: job.name, in: position.zone)]
      guard let zone = try? context.zones.zone(named: position.zone) else { return nil }
      var next = board.nextFire(of: job, at: position, zones: context.zones, now: now)
      let due = next.flatMap { $0.begin <= now ? $0 : nil }
      if due != nil { next = upcoming(job, in: zone, after: now) }
      return next == nil && last == nil
        ? nil : Place(zone: position.zone, due: due, next: next, last: last)
    }
    .sorted { ($0.next?.begin ?? .latest, $0.zone) < ($1.next?.begin ?? .latest, $1.zone) }
  }

  /// Returns the first fire that begins after `now`, jitter included.
  private static func upcoming(_ job: Job, in zone: Zone, after now: Instant) -> JobFire? {
    var next = job.nextFire(after: now.adding(seconds: -job.jitterSeconds), in: zone)
    while let fire = next {
      let begin = job.start(of: fire, in: zone)
      if begin > now { return JobFire(job: job, zone: zone.name, fire: fire, begin: begin) }
      next = job.nextFire(after: fire, in: zone)
    }
    return nil
  }

  private static func write(
    _ job: Job, _ places: [Place], _ pause: PauseMark?, to json: inout JSONWriter
  ) {
    json.member("name", job.name)
    json.member("schedule", job.schedule.expression)
    json.member("timeZone", job.place.name)
    json.member(job.isProgram ? "run" : "do", job.command)
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
    json.objects("next", places.compactMap(\.next)) { json, fire in write(fire, to: &json) }
    json.objects("due", places.compactMap(\.due)) { json, fire in write(fire, to: &json) }
    json.objects("lastRuns", places.filter { $0.last != nil }) { json, place in
      json.member("zone", place.zone)
      json.member("outcome", place.last?.outcome)
      json.member("reason", place.last?.reason)
      json.member("at", place.last?.at.description)
    }
  }

  private static func write(_ fire: JobFire, to json: inout JSONWriter) {
    json.member("zone", fire.zone)
    json.member("nominalLocal", fire.fire.nominalLocal.description)
    json.member("nominal", fire.fire.instant.description)
    json.member("begin", fire.begin.description)
  }
}
