import Configuration
import LedgerStore
import Operations

extension CommandContext {
  /// Returns a user's closed days that wait for a backfill; nil when that cannot be determined without the draw secret.
  func waitingDays(
    of user: String, in ledger: LedgerReader, _ configuration: Configuration, _ command: String
  ) async throws -> WaitingDays? {
    do {
      return try await WaitingDays.read(
        of: user, in: ledger, configuration, runtimeEnvironment(command))
    } catch is SecretError {
      return nil
    }
  }
}
