import Scheduling

/// Removes a user.
package struct UserRemoval: Sendable {
  private let runtime: Runtime

  /// Creates a removal from the ledger that this process holds.
  package init(_ runtime: Runtime) { self.runtime = runtime }

  /// Removes a user, as the act of `actor`, after processing everything in the inbox; returns whether the user existed.
  ///
  /// From then on lines about the user are refused, and the absence of lines about earlier days is final as of this reading.
  /// Throws ``LedgerStore/LedgerError``, and ``RuntimeError`` while the clock is in doubt.
  package func remove(_ user: String, reason: String, by actor: String) async throws -> Bool {
    try runtime.requireConfirmedClock()
    _ = try await InboxSweep(runtime: runtime).readAll()
    return try await RosterImport(runtime.writer).remove(user: user, reason: reason, by: actor)
  }
}
