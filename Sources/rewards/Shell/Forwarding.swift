import Configuration
import Failures
import LedgerStore
import Operations

/// Forwards requests to the service that holds a ledger.
enum Forwarding {
  /// Sends a request to the service and prints its answer. Returns nil when nobody answers. Throws when the service was there and has not
  /// reported the outcome.
  static func send(
    _ parcel: RequestParcel, in context: CommandContext, to configuration: Configuration
  ) async throws(Failure) -> ExitCode? {
    guard let socket = configuration.directory.trustedControlSocket else { return nil }
    if context.options.present != nil {
      guard await ControlClient.isAnswered(at: socket) else { return nil }
      try context.requireMachineClock()
    }
    do throws(ControlClient.Failure) {
      return try await ControlClient.send(parcel.bytes, to: socket).map(context.show)
    } catch {
      throw Failure(
        .tryAgain, "the service that holds the ledger did not report the outcome: \(error)",
        place: socket,
        remedy: "The ledger shows what it did: check before you repeat the command.")
    }
  }
}

extension CommandContext {
  /// Prints the answer of another process.
  func show(_ answer: CommandResult) -> ExitCode {
    environment.output.write(answer.output)
    environment.errors.write(answer.errors)
    return ExitCode(rawValue: answer.exitCode) ?? .internalError
  }
}
