import Configuration
import Control
import Failures
import LedgerStore

/// Lets the service that holds a ledger carry a command out.
enum Forwarding {
  /// Sends the command line of `context` with `input` to the service and prints its answer; nil when nobody answers. Throws when
  /// the service was there and has not told what came of the command.
  static func send(
    _ context: CommandContext, input: [UInt8] = [], to configuration: Configuration
  ) async throws(Failure) -> ExitCode? {
    let request = ControlRequest(words: context.words, input: input)
    guard let socket = configuration.directory.trustedControlSocket else { return nil }
    let told: ControlAnswer?
    do throws(ControlClient.Failure) {
      told = try await ControlClient.send(request, to: socket)
    } catch {
      throw Failure(
        .tryAgain, "the service that holds the ledger did not tell what came of it: \(error)",
        place: socket,
        remedy: "What it did is in the ledger: look there before you repeat the command.")
    }
    guard let answer = told else { return nil }
    context.environment.output.write(answer.output)
    context.environment.errors.write(answer.errors)
    return ExitCode(rawValue: answer.exitCode) ?? .internalError
  }
}
