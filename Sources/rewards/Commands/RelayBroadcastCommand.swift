import Described
import Failures
import Ledger
import Operations
import Scheduling
import StrictJSON

/// Tells everybody something.
struct RelayBroadcastCommand: RequestingCommand {
  static let spec = CommandSpec(
    "relay broadcast", "push a text to everybody, through the topic of a push service",
    shards: .first,
    details: """
      For what concerns everybody: a campaign begins. It takes two people. The command records
      a request, which a second person approves by repeating it with --approve ID; only then
      the ledger holds the broadcast, and every sink of kind fcm with a topic sends it, at
      least once and always with the same id. To send the same text once more, repeat the
      request.
      """,
    options: [
      .init("title", "TEXT", isRequired: true, help: "the title, up to 256 bytes"),
      .init("body", "TEXT", isRequired: true, help: "the text, up to 1024 bytes"),
      .init(
        "loc-key", "KEY", help: "the key by which the app finds the text in the reader's language"),
      .init("reason", "TEXT", isRequired: true, help: "why, for the record"),
      ActorArgument.option, ApprovalArgument.option,
    ],
    examples: [
      .init(
        "rewards relay broadcast --title 'Autumn cup' --body 'Gifts count twice' --reason campaign",
        "records the request and prints its id; rewards approvals shows how to approve it")
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) -> BroadcastRequest {
    BroadcastRequest(
      Broadcast(
        title: arguments.required("title"), body: arguments.required("body"),
        locKey: arguments.value("loc-key")), reason: arguments.required("reason"),
      actor: arguments.value("actor"), approving: arguments.value("approve"))
  }

  private static let output = JSONMembers<BroadcastRequest.Report> {
    $0.add("title", \.broadcast.title)
    $0.add("body", \.broadcast.body)
    $0.add("locKey", \.broadcast.locKey)
    $0.add("sinks", \.sinks)
    $0.add("recorded", \.isNew, "false where an earlier approval has sent it")
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(
    _ report: BroadcastRequest.Report, of request: BroadcastRequest, in context: CommandContext
  ) -> ExitCode {
    context.report(report, as: output) {
      report.isNew
        ? "recorded; \(report.sinks.joined(separator: ", ")) will send it to everybody\n"
        : "it was approved and sent before: nothing was recorded\n"
    }
    return .done
  }
}
