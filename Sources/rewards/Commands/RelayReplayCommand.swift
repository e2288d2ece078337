import CivilTime
import Described
import Failures
import Operations
import Scheduling
import StrictJSON

/// Sends events again.
struct RelayReplayCommand: RequestingCommand {
  static let spec = CommandSpec(
    "relay replay", "send events again, with the same ids", shards: .any,
    details: """
      By id, by the time at which their records were made, or all that were given up. Whoever drops ids that it
      knows gets nothing twice. Events that wait to be sent anyway are left out.
      """,
    arguments: [
      .init(
        "KEY", isOptional: true, help: "the event's id; of a grant its key, as 4711/2026-11-20/gift"
      )
    ],
    options: [
      .init("from", "INSTANT", help: "records made at or after this instant"),
      .init("to", "INSTANT", help: "records made before this instant"),
      .init("dead", help: "what was given up"),
      .init("sink", "NAME", help: "only to this sink"),
    ],
    examples: [
      .init("rewards relay replay --dead --sink notify", "when the receiver is well again"),
      .init("rewards relay replay 4711/2026-11-20/gift", "one event, to every sink"),
      .init(
        "rewards relay replay --from 2026-11-20T00:00:00Z --to 2026-11-21T00:00:00Z --sink notify",
        "a day that the receiver has lost"),
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> ReplayRequest {
    ReplayRequest(try choice(arguments), to: arguments.value("sink"))
  }

  private static let output = JSONMembers<[(sink: String, count: Int)]> {
    $0.list("replayed", { $0 }) {
      $0.add("sink", \.sink)
      $0.add("events", \.count)
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(
    _ counts: [(sink: String, count: Int)], of request: ReplayRequest, in context: CommandContext
  ) -> ExitCode {
    let total = counts.reduce(0) { $0 + $1.count }
    context.report(counts, as: output) {
      if total == 0 { return "no such event was sent: nothing to send again\n" }
      return counts.reduce("") { text, sink in
        text + "\(sink.count) events are sent to \(sink.sink) again\n"
      }
    }
    return total == 0 ? .attention : .done
  }

  private static func choice(
    _ arguments: ParsedArguments
  ) throws(Failure) -> RelayActs.Choice {
    let isRange = arguments.has("from") || arguments.has("to")
    let given = [arguments.argument(0) != nil, isRange, arguments.has("dead")].count { $0 }
    guard given == 1 else {
      throw Failure(
        .usage, "choose the events by KEY, by --from and --to, or by --dead",
        remedy: "Give exactly one of them.")
    }
    if let key = arguments.argument(0) { return .event(key) }
    if arguments.has("dead") { return .dead }
    guard case (let from?, let to?) = try InstantArgument.range(arguments) else {
      throw Failure(.usage, "--from and --to belong together")
    }
    return .made(from: from, to: to)
  }
}
