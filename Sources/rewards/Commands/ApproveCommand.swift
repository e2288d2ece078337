import Described
import Failures
import Ledger
import Operations
import Scheduling
import StrictJSON

/// Approves or declines what another person has requested.
struct ApproveCommand: RequestingCommand {
  static let spec = CommandSpec(
    "approve", "approve what another person has requested, or decline it",
    details: """
      Approves a request, as a person other than the one who made it. Limits, signers,
      sources and rules that the configuration proposes are then in use; for everything
      else whoever wants it repeats the command. An approval counts once.

      Nobody has asked for what a file asks for: the configuration, the roster, the inbox. The
      first person who approves it makes the request theirs, and another one approves it.

      With --signature the SSH key that signed says who you are; rewards help approvals shows
      how. With --decline, which anybody may, the request waits no longer.
      """,
    arguments: [.init("ID", help: "the request: see rewards approvals")],
    options: [
      .init("signature", "FILE", help: "the .sig file that ssh-keygen wrote; - for standard input"),
      .init("decline", "REASON", help: "decline it instead"),
      ActorArgument.option,
    ],
    examples: [
      .init("rewards approve 1f0c77aa90b2", "as the account that you have"),
      .init("rewards approve 1f0c77aa90b2 --signature r.txt.sig", "as the person whose key signed"),
      .init("rewards approve 1f0c77aa90b2 --decline 'a typo'", "it is gone from the list"),
    ])

  /// The largest file of a signature, in bytes.
  private static let mostSignatureBytes = 4_096

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> ApprovalRequest {
    if arguments.value("signature") != nil, arguments.value("decline") != nil {
      throw UsageError(
        cause: "a signature approves, and declines nothing",
        hint: "leave --signature or --decline out")
    }
    let signature = try arguments.value("signature").map { try context.input($0) } ?? []
    if let file = arguments.value("signature"), !(1...mostSignatureBytes).contains(signature.count)
    {
      throw Failure(
        .badData, "a signature has 1 to \(mostSignatureBytes) bytes", place: file,
        remedy: "Give the .sig file that ssh-keygen -Y sign wrote.")
    }
    return ApprovalRequest(
      of: arguments.arguments[0], declining: arguments.value("decline"), signature: signature,
      actor: arguments.value("actor"))
  }

  private static let output = JSONMembers<ApprovalRequest.Report> {
    $0.add("what", \.mark.what)
    $0.add("actor", \.mark.actor, "who requested it")
    $0.add(
      "outcome", { $0.outcome.rawValue },
      "requested (another person must approve it), approved (repeat the command), used or declined")
    $0.add("by", \.actor, "who approved or declined it")
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(
    _ report: ApprovalRequest.Report, of request: ApprovalRequest, in context: CommandContext
  ) -> ExitCode {
    context.report(report, as: output) {
      let what = report.mark.what
      switch report.outcome {
      case .requested:
        let name = SecondActor.named(report.actor) == nil ? "" : " --actor NAME"
        let way = HandLimits.signer(of: report.actor) == nil ? name : " --signature FILE"
        return
          "requested by \(report.actor): \(what)\nanother person must approve it: rewards approve \(request.id)\(way)\n"
      case .approved where BigAct.isConfigured(report.mark):
        return "approved by \(report.actor), and not in use yet: \(what)\n"
      case .approved:
        let line = ApprovalLine.text(request.id, report.mark, isAgreed: true)
        return "approved by \(report.actor): \(what)\nnow, once: \(line)\n"
      case .used: return "approved by \(report.actor), and in use: \(what)\n"
      case .declined: return "declined by \(report.actor): \(what)\n"
      }
    }
    return .done
  }
}
