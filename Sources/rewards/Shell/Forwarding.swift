import LedgerStore
import Operations

/// Lets the service that holds a ledger carry a command out.
enum Forwarding {
  /// Sends the command line of `context` with `input` to the service and prints its answer; throws `locked`, which says
  /// who holds the ledger, when nobody answers.
  static func send(
    _ context: CommandContext, input: [UInt8] = [], to configuration: Configuration,
    locked: LedgerError
  ) async throws -> ExitCode {
    let request = ControlRequest(words: context.words, input: input)
    let directory = DataDirectory(configuration.data)
    guard let answer = await ControlClient.send(request, to: directory) else { throw locked }
    context.environment.output.write(answer.output)
    context.environment.errors.write(answer.errors)
    return ExitCode(rawValue: answer.exitCode) ?? .internalError
  }
}
