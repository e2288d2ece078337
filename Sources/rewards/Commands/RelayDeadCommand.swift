import CivilTime
import Configuration
import Described
import Failures
import NotificationRelay
import Operations
import StrictJSON

/// Lists events whose delivery was given up.
struct RelayDeadCommand: Command {
  static let spec = CommandSpec(
    "relay dead", "list dead letters: events given up after the last attempt", isPaged: true,
    details: """
      Nothing is lost: rewards relay replay --dead sends them again, with the same ids.
      Exits 1 if there are any.
      """,
    options: [.init("sink", "SINK", help: "only this sink")],
    examples: [
      .init("rewards relay dead", "every sink"),
      .init("rewards relay dead --sink notify --format json", "one sink, for another program"),
    ])

  private static let output = JSONMembers<[(sink: String, letter: RelayReport.DeadLetter)]> {
    $0.list("dead", { $0 }) {
      $0.add("sink", \.sink)
      $0.add("event", \.letter.event)
      $0.add("seq", \.letter.position.seq)
      $0.add("user", \.letter.user)
      $0.add("at", \.letter.at)
      $0.add("attempts", \.letter.attempts)
      $0.add("reason", \.letter.reason)
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let names = configuration.relay.map(\.name)
    let wanted = arguments.value("sink")
    if let wanted, !names.contains(wanted) { throw Failure.noSink(wanted, names) }
    let report = RelayReport(configuration)
    var letters: [(sink: String, letter: RelayReport.DeadLetter)] = []
    for name in names where wanted == nil || wanted == name {
      letters += try await report.dead(name).map { (name, $0) }
    }
    context.report(letters, as: output) {
      if letters.isEmpty { return "no dead letters\n" }
      var table = TextTable(
        ["SINK", "EVENT", "SEQ", "GIVEN UP", "ATTEMPTS", "REASON"], last: .prose)
      for (sink, letter) in letters {
        table.add([
          sink, letter.event.isEmpty ? "the state of \(letter.user)" : letter.event,
          "\(letter.position.seq)", "\(letter.at)", "\(letter.attempts)",
          letter.reason,
        ])
      }
      return table.text(context.style)
    }
    return letters.isEmpty ? .done : .attention
  }
}
