import Described
import Failures
import StrictJSON

/// Prints the script that a shell needs to complete command lines.
struct CompletionCommand: Command {
  static let spec = CommandSpec(
    "completion", "print the script with which a shell completes command lines", shards: .none,
    details: """
      Completes commands, options and their values: files, folders, and whatever the
      configuration knows: jobs, sinks, users of the roster and time zones.
      """,
    arguments: [.init("bash|zsh|fish", values: "SHELL", help: "the shell")],
    examples: [
      .init("source <(rewards completion bash)", "for bash, in ~/.bashrc"),
      .init("rewards completion zsh > ~/.zfunc/_rewards", "for zsh, with ~/.zfunc in $fpath"),
      .init("rewards completion fish > ~/.config/fish/completions/rewards.fish", "for fish"),
    ])

  private static let output = JSONMembers<ShellCompletion> {
    $0.add("shell", \.rawValue)
    $0.add("script", \.script)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let names = ShellCompletion.allCases.map(\.rawValue)
    guard let shell = ShellCompletion(rawValue: arguments.arguments[0]) else {
      throw Failure(
        .usage, "\"\(arguments.arguments[0])\" is none of \(names.joined(separator: ", "))")
    }
    context.report(shell, as: output) {
      shell.script
    }
    return .done
  }
}
