import Described
import Failures
import StrictJSON

/// Prints the script that a shell needs to complete command lines.
struct CompletionCommand: Command {
  static let spec = CommandSpec(
    "completion", "print the completion of command lines for a shell", shards: .none,
    details: "Commands, options, their values where they are few, files and folders.",
    arguments: [.init("bash|zsh|fish", values: "SHELL", help: "the shell")],
    examples: [
      .init("source <(rewards completion bash)", "in ~/.bashrc"),
      .init("rewards completion zsh > ~/.zfunc/_rewards", "with ~/.zfunc in $fpath"),
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
