import CivilTime
import Configuration
import Described
import Failures
import Ledger
import NotificationRelay
import Operations
import Scheduling
import StrictJSON

/// Shows the status of each sink.
struct RelayStatusCommand: Command {
  static let spec = CommandSpec(
    "relay status", "show how far each sink is, what waits, and why", isPaged: true,
    details: """
      WAITING counts the events that a sink has not received yet; OLDEST is the age of the
      first of them in seconds. BEHIND counts users whose next event waits for a retry; DEAD
      counts dead letters: see rewards relay dead. It may run beside a service. Exits 1 if a
      sink is paused, has dead letters, or has an event that has waited for over an hour.
      """,
    examples: [
      .init("rewards relay status", "every sink"),
      .init("rewards relay status --format json", "for another program"),
    ])

  /// How long an event may wait before it needs attention, in seconds.
  private static let patienceSeconds: Int64 = 3_600

  private static let output = JSONMembers<[(sink: RelayReport.Status, now: Instant)]> {
    $0.list("sinks", { $0 }) {
      $0.add("sink", \.sink.sink)
      $0.add("kind", \.sink.kind)
      $0.add("cursor", \.sink.progress.cursor.seq)
      $0.add("delivered", \.sink.progress.delivered)
      $0.add("failures", \.sink.progress.failures)
      $0.add("waiting", \.sink.waiting)
      $0.add("oldest", \.sink.oldest)
      $0.add("lagSeconds") { status in status.sink.oldest.map { age($0, status.now) } ?? 0 }
      $0.add("behind", \.sink.progress.behind.count, "users that wait for a retry")
      $0.add("deadLetters", \.sink.progress.deadLetters)
      $0.add("paused", \.sink.progress.pause)
      $0.nullableObject("lastFailure", \.sink.progress.lastFailure) {
        $0.add("at", \.at)
        $0.add("reason", \.reason)
      }
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let ledger = try await LedgerReading.openIfThere(configuration.directory)
    let context = try await context.inTime(of: ledger)
    let now = context.present
    let sinks = try await RelayReport(configuration).status(in: ledger)
    context.report(sinks.map { ($0, now) }, as: output) {
      if sinks.isEmpty { return "no sinks are configured\n" }
      var table = TextTable(
        ["SINK", "KIND", "STATE", "DELIVERED", "FAILURES", "WAITING", "OLDEST", "BEHIND", "DEAD"],
        [.left, .left, .left, .right, .right, .right, .right, .right, .right])
      for sink in sinks {
        let progress = sink.progress
        table.add([
          sink.sink, sink.kind, progress.pause == nil ? "on" : "paused",
          sink.kind == "file" ? "-" : "\(progress.delivered)", "\(progress.failures)",
          "\(sink.waiting)", sink.oldest.map { "\(age($0, now))" } ?? "-",
          "\(progress.behind.count)", "\(progress.deadLetters)",
        ])
      }
      return sinks.reduce(table.text(context.style)) { $0 + remarks($1) }
    }
    return sinks.contains { needsALook($0, now) } ? .attention : .done
  }

  private static func age(_ instant: Instant, _ now: Instant) -> Int64 {
    max(0, now.seconds(since: instant))
  }

  private static func needsALook(_ sink: RelayReport.Status, _ now: Instant) -> Bool {
    sink.progress.pause != nil || sink.progress.deadLetters > 0
      || sink.oldest.map { age($0, now) > patienceSeconds } ?? false
  }

  private static func remarks(_ sink: RelayReport.Status) -> String {
    var text = ""
    if let pause = sink.progress.pause {
      text +=
        "\(sink.sink) is paused since \(pause.since) by \(pause.actor): \(pause.reason); rewards relay resume \(sink.sink)\n"
    }
    if let failure = sink.progress.lastFailure {
      text += "\(sink.sink): the last failure, at \(failure.at): \(failure.reason)\n"
    }
    return text
  }
}
