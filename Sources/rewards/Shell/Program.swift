/// The program as a function of its arguments and environment.
struct Program: Sendable {
  let environment: ProgramEnvironment

  /// Does what `words`, the arguments after the program's name, ask for; never throws.
  func run(_ words: [String]) async -> ExitCode {
    do {
      switch try ArgumentParser(commands: CommandList.all).parse(words) {
      case .overview(let group):
        environment.output.write(HelpText.overview(of: CommandList.all, group: group))
        return .done
      case .help(let spec):
        environment.output.write(HelpText.text(of: spec))
        return .done
      case .command(let command, let arguments):
        let options = try CommonOptions(arguments, environment: environment.variables)
        return try await command.run(
          arguments, in: CommandContext(environment, options, words: words))
      }
    } catch {
      let failure = CommandFailure(describing: error)
      environment.errors.write(failure.text)
      return failure.exitCode
    }
  }
}
