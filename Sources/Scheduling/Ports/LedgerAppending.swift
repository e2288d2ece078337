package import Ledger

/// The end of a ledger, where records are appended.
///
/// Belongs to one ``LedgerWriter``, which makes all calls on its thread. They may block.
package protocol LedgerAppending: Sendable {
  /// The last committed record, on which the next batch builds.
  var head: LedgerHead { get }
  /// Whether the last append, or a probe after it, succeeded.
  var isReady: Bool { get }
  /// Appends the bodies as consecutive lines of one sealed batch, in order.
  ///
  /// Returns their records only after the seal is on disk. If it throws, nothing was appended; or, after an I/O
  /// error, the ledger's state is unknown to the caller until the store has read it again. In both cases nothing was
  /// acknowledged.
  func append(_ bodies: [RecordBody]) throws -> [Record]
}
