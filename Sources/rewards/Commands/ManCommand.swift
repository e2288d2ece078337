import Described
import Failures
import Operations
import StrictJSON

/// Prints pages for man(1).
struct ManCommand: Command {
  static let spec = CommandSpec(
    "man", "print the man page of all commands, or of a topic", shards: .none,
    details: "The pages hold what rewards help prints.",
    arguments: [.init("TOPIC", isOptional: true, help: "a topic of rewards help")],
    examples: [
      .init("rewards man | man -l -", "read it"),
      .init("rewards man > /usr/local/share/man/man1/rewards.1", "install it"),
      .init(
        "rewards man relay > /usr/local/share/man/man7/rewards-relay.7", "install that of a topic"),
    ])

  private static let output = JSONMembers<String> {
    $0.add("page") { $0 }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let page = try page(arguments.argument(0))
    context.report(page, as: output) {
      page
    }
    return .done
  }

  private static func page(_ topic: String?) throws(Failure) -> String {
    let version = ProgramVersion.text
    guard let topic else {
      return ManPage.text(of: CommandsPage.manual, name: "rewards", section: 1, version: version)
    }
    guard let page = ReferencePage(named: topic) else {
      let names = ReferencePage.allCases.flatMap(\.names)
      throw Failure(
        .usage, "there is no topic \"\(topic)\"\(NearestName.hint(for: topic, among: names))",
        remedy: "The topics: \(ReferencePage.allCases.map(\.name).joined(separator: ", ")).")
    }
    return ManPage.text(
      of: page.page, name: "rewards-\(page.name)", section: 7, version: version)
  }
}
