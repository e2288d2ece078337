import Scheduling

/// Ends the watch over a user.
public struct UserRemoval: Sendable {
  private let runtime: Runtime

  /// A removal from the ledger that this process holds.
  public init(_ runtime: Runtime) { self.runtime = runtime }

  /// Takes a user out, after all that waits in the inbox: from then on lines about the user are refused, and its silence about
  /// the days before is that of this reading. Returns whether there was such a user. Throws ``LedgerStore/LedgerError``, and
  /// ``RuntimeError`` while the clock is in doubt.
  public func remove(_ user: String) async throws -> Bool {
    try runtime.requireConfirmedClock()
    _ = try await InboxSweep(runtime: runtime).readAll()
    return try await RosterImport(runtime.writer).remove(user: user)
  }
}
