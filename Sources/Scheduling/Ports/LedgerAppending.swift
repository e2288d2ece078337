public import Ledger

/// The one writer of a ledger.
public protocol LedgerAppending: Sendable {
  /// The last committed record: what the next batch stands upon.
  var head: LedgerHead { get }

  /// Appends the bodies as consecutive lines of one sealed batch, in order.
  ///
  /// Returns their records only after the seal is on disk. Many callers' bodies may share a seal; one caller's bodies
  /// are never divided. Throws without having appended anything, or, after an I/O error, with the ledger's state
  /// unknown to the caller until the store has read it again; then nothing was acknowledged.
  func append(_ bodies: [RecordBody]) async throws -> [Record]
}
