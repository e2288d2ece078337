import Described
import Failures
import Ledger
import Operations
import StrictJSON

/// Approves what another person has requested, where the request says it all.
struct ApproveCommand: RequestingCommand {
  static let spec = CommandSpec(
    "approve", "approve limits or rules that another person has requested",
    details: """
      "approval" of the configuration proposes what one person may give alone, and the ledger
      decides: less counts at once, more waits for a second person. So does a rules document
      by which a day can bring more points than one person may give. This approves such a
      request, from another account, and puts it into use. What else waits takes the
      command that rewards approvals shows.
      """,
    arguments: [.init("ID", help: "the request: see rewards approvals")],
    options: [ActorArgument.option],
    examples: [
      .init("rewards approve 1f0c77aa90b2", "in use as requested, from now on")
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> ApprovalRequest {
    ApprovalRequest(of: arguments.arguments[0], actor: arguments.value("actor"))
  }

  private static let output = JSONMembers<RequestMark> {
    $0.add("what", \.what)
    $0.add("actor", \.actor, "who requested it")
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(
    _ mark: RequestMark, of request: ApprovalRequest, in context: CommandContext
  ) -> ExitCode {
    context.report(mark, as: output) { "approved: \(mark.what)\n" }
    return .done
  }
}
