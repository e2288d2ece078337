import Described
import Failures
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Releases a grant that a limit holds back.
struct ReleaseCommand: RequestingCommand {
  static let spec = CommandSpec(
    "release", "let through a grant that a limit holds back",
    details: """
      The record that holds it back names the key; rewards explain shows it. A closed day's
      grant comes with everything that depends on it: exp, levels, boosters.
      """,
    arguments: [.grantKey()],
    options: [
      .init("reason", "TEXT", isRequired: true, help: "why, for the record"),
      ActorArgument.option, ApprovalArgument.option,
    ],
    examples: [
      .init(
        "rewards release 4711/2026-11-20/gift --reason \"a marathon stream, checked\"",
        "one grant, whatever the limit says")
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> ReleaseRequest {
    ReleaseRequest(
      of: arguments.arguments[0], reason: arguments.required("reason"),
      actor: arguments.value("actor"), approving: arguments.value("approve"))
  }

  private static let output = JSONMembers<ReleaseRequest.Report> {
    $0.add("key", \.key)
    $0.add("appended", \.counts.appended)
    $0.add("grants", \.counts.grants)
    $0.include(\.counts.amounts)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func show(
    _ report: ReleaseRequest.Report, of request: ReleaseRequest, in context: CommandContext
  ) -> ExitCode {
    let (key, counts) = (report.key, report.counts)
    context.report(report, as: output) {
      counts.appended == 0
        ? "\(key) was released before: nothing was appended\n"
        : "\(key) released: \(Counted.text(counts.appended, "record")) appended, \(counts.amounts.text(showing: .points))\n"
    }
    return .done
  }
}
