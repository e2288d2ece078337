import CivilTime
import Described
import Failures
import NotificationRelay
import Operations
import Scheduling
import StrictJSON

/// Sends events again.
struct RelayReplayCommand: RequestingCommand {
  static let spec = CommandSpec(
    "relay replay", "send events again, with the same ids", shards: .any,
    details: """
      Chooses events by id, by when their records were made, or all dead letters. A receiver
      that drops ids it has seen gets nothing twice. Events that are waiting to be sent are
      left out. A range needs both ends, because it sends: there is no default.
      --user brings one user's document in the app's store, or an account state, up to date
      again; nothing is written twice. If our record in the document is gone, say with --as
      whether the document still holds what was written, or is a new one.
      """,
    arguments: [
      .init(
        "KEY", isOptional: true,
        help: "the event's id; a grant's is its key, such as 4711/2026-11-20/gift")
    ],
    options: RangeOptions.instants(
      from: "records made at or after this instant or day",
      to: "records made before this instant, or through this day") + [
        .init("dead", help: "all dead letters"),
        .init("user", "ID", help: "the user's state"),
        .init(
          "as", "STATE", choices: ["written", "new"],
          help: "with --user: what a document without our record is: as written, or new"),
        .init("sink", "SINK", help: "only to this sink"),
      ],
    examples: [
      .init("rewards relay replay --dead --sink notify", "when the receiver works again"),
      .init("rewards relay replay 4711/2026-11-20/gift", "one event, to every sink"),
      .init(
        "rewards relay replay --from yesterday --to yesterday --sink notify",
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
        text
          + "\(Counted.text(sink.count, "event is", "events are")) sent to \(sink.sink) again\n"
      }
    }
    return total == 0 ? .attention : .done
  }

  private static func choice(
    _ arguments: ParsedArguments
  ) throws(Failure) -> RelayActs.Choice {
    let isRange = arguments.has("from") || arguments.has("to")
    let given = [
      arguments.argument(0) != nil, isRange, arguments.has("dead"), arguments.has("user"),
    ].count { $0 }
    guard given == 1 else {
      throw Failure(
        .usage, "choose the events by KEY, by --from and --to, by --dead, or by --user",
        remedy: "Give exactly one of them.")
    }
    let verdict = arguments.value("as").flatMap(StoreMemory.Verdict.init)
    if arguments.has("as"), verdict == nil {
      throw Failure(
        .usage, "a document is as written or new", place: "--as",
        remedy: "Write --as written or --as new.")
    }
    if verdict != nil, !arguments.has("user") {
      throw Failure(.usage, "--as says what the document of one user is", remedy: "Pass --user.")
    }
    if let user = arguments.value("user") { return .state(of: user, verdict) }
    if let key = arguments.argument(0) { return .event(key) }
    if arguments.has("dead") { return .dead }
    guard case (let from?, let to?) = try InstantArgument.range(arguments) else {
      throw Failure(.usage, "pass both --from and --to: replaying sends events again")
    }
    return .made(from: from, to: to)
  }
}
