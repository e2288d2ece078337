import Configuration
import Ledger
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

  /// Returns the number of such days; 0, without reading, if `state` notes no late facts for the user.
  func waitingCount(
    of user: String, _ state: LedgerState, in ledger: LedgerReader,
    _ configuration: Configuration, _ command: String
  ) async throws -> Int? {
    guard let account = state.account(of: user), state.hasLateFacts(account) else { return 0 }
    return try await inTime(of: ledger).waitingDays(of: user, in: ledger, configuration, command)?
      .count
  }
}
