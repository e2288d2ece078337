import CivilTime
import Configuration
import Described
import Failures
import Ledger
import LedgerStore
import Operations
import Scheduling
import StrictJSON

/// Shows the jobs and when they run next.
struct JobsListCommand: Command {
  static let spec = CommandSpec(
    "jobs list", "list the jobs: what they do, when they run next, how the last run ended",
    shards: .each, isPaged: true,
    details: """
      DUE is the oldest run that should have begun and is not recorded: a running service,
      or rewards run JOB --due, starts it at once. NEXT is never in the past.
      """,
    examples: [
      .init("rewards jobs list", "every job with its next time in each zone"),
      .init("rewards jobs list --format json", "for another program"),
    ])

  private static let output = JSONMembers<[Listed]> {
    $0.list("jobs", { $0 }) {
      $0.add("name", \.job.name)
      $0.add("schedule", \.job.schedule.expression)
      $0.add("timeZone", \.job.place.name)
      $0.optional("do") { $0.job.isProgram ? nil : $0.job.command }
      $0.optional("run") { $0.job.isProgram ? $0.job.command : nil }
      $0.add("enabled", \.job.isEnabled)
      $0.add("paused", \.pause)
      $0.list("next", { $0.places.compactMap(\.next) }, of: list)
      $0.list("due", { $0.places.compactMap(\.due) }, of: list)
      $0.list(
        "lastRuns", { $0.places.compactMap { place in place.last.map { (place.zone, $0) } } }
      ) { (run: inout JSONMembers<(zone: String, last: RunOutcome)>) in
        run.add("zone", \.zone)
        run.add("outcome", \.last.outcome)
        run.add("reason", \.last.reason)
        run.add("at", \.last.at)
      }
    }
  }

  private static func list(_ fire: inout JSONMembers<JobFire>) {
    fire.add("zone", \.zone)
    fire.add("nominalLocal", \.fire.nominalLocal.description)
    fire.add("nominal", \.fire.instant)
    fire.add("begin", \.begin)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let jobs = try JobFolder.all(configuration, zones: context.zones)
    let reader = try await LedgerReading.openIfThere(configuration.directory)
    let context = try await context.inTime(of: reader)
    let ledger = try await StateReading.read(reader)
    let board = JobBoard(jobs: jobs)
    let listed = jobs.map { job in
      Listed(
        job: job, places: places(job, board, ledger, context), pause: ledger.jobs.pauses[job.name])
    }
    context.report(listed, as: output) {
      var table = TextTable(
        ["JOB", "SCHEDULE", "DOES", "ZONE", "STATE", "DUE", "NEXT", "LAST RUN"],
        [.left, .left, .prose], last: .prose)
      for (job, places, pause) in listed.map({ ($0.job, $0.places, $0.pause) }) {
        let state = !job.isEnabled ? "disabled" : pause == nil ? "enabled" : "paused"
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
      return table.text(context.style)
    }
    return .done
  }

  /// A job with its zones.
  private struct Listed {
    let job: Job
    let places: [Place]
    let pause: PauseMark?
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
      let last = ledger.jobs.lastOutcomes[JobKey(job: job.name, zone: position.zone)]
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
}
