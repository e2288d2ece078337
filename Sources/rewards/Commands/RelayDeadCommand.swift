import CivilTime
import Configuration
import Failures
import NotificationRelay
import Operations
import StrictJSON

/// Lists events whose delivery was given up.
struct RelayDeadCommand: Command {
  static let spec = CommandSpec(
    "relay dead", "events that were given up after their last attempt",
    details: """
      Nothing of them is lost: rewards relay replay --dead sends them again, with the same ids. Ends with 1
      when there are any.
      """,
    options: [.init("sink", "NAME", help: "only of this sink")],
    examples: [
      .init("rewards relay dead", "of every sink"),
      .init("rewards relay dead --sink notify --format json", "for another program"),
    ])

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
    context.report {
      if letters.isEmpty { return "no dead letters\n" }
      var table = TextTable(["SINK", "EVENT", "SEQ", "GIVEN UP", "ATTEMPTS", "REASON"])
      for (sink, letter) in letters {
        table.add([
          sink, letter.event, "\(letter.position.seq)", "\(letter.at)", "\(letter.attempts)",
          letter.reason,
        ])
      }
      return table.text
    } json: { json in
      json.objects("dead", letters) { json, item in
        json.member("sink", item.sink)
        json.member("event", item.letter.event)
        json.member("seq", item.letter.position.seq)
        json.member("user", item.letter.user)
        json.member("at", item.letter.at.description)
        json.member("attempts", item.letter.attempts)
        json.member("reason", item.letter.reason)
      }
    }
    return letters.isEmpty ? .done : .attention
  }
}
