public import Ledger

/// The end of a ledger to which records are appended.
///
/// Belongs to one ``LedgerWriter``, on whose thread all calls are made; they may block.
public protocol LedgerAppending: Sendable {
  /// The last committed record: what the next batch stands upon.
  var head: LedgerHead { get }
  /// Whether the last append, or a probe after it, succeeded.
  var isReady: Bool { get }
  /// Appends the bodies as consecutive lines of one sealed batch, in order.
  ///
  /// Returns their records only after the seal is on disk. Throws without having appended anything, or, after an I/O
  /// error, with the ledger's state unknown to the caller until the store has read it again; then nothing was
  /// acknowledged.
  func append(_ bodies: [RecordBody]) throws -> [Record]
}
