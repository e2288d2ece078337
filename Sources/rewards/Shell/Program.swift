/// The program as a function of its arguments and surroundings.
struct Program: Sendable {
  let surroundings: Surroundings

  /// Does what `words`, the arguments after the program's name, ask for; never throws.
  func run(_ words: [String]) async -> ExitCode {
    do {
      switch try ArgumentParser(commands: CommandList.all).parse(words) {
      case .overview(let group):
        surroundings.output.write(HelpText.overview(of: CommandList.all, group: group))
        return .done
      case .help(let spec):
        surroundings.output.write(HelpText.text(of: spec))
        return .done
      case .command(let command, let arguments):
        let options = try CommonOptions(arguments, environment: surroundings.environment)
        return try await command.run(
          arguments, in: CommandContext(surroundings, options, words: words))
      }
    } catch {
      let failure = CommandFailure(describing: error)
      surroundings.errors.write(failure.text)
      return failure.exitCode
    }
  }
}
