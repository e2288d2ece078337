package import Ledger

/// Reads the whole past of some users from the ledger.
package protocol PastReading: Sendable {
  /// Returns a state up to the ledger's last seal that follows these users, with their histories.
  func pasts(of users: Set<String>) async throws -> LedgerState
}
