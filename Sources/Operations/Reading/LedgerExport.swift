import Foundations
package import Ledger
package import LedgerStore

/// Streams parts of a ledger to `write`, whether or not a service holds the ledger.
package enum LedgerExport {
  /// Passes the lines that match `selection` to `write`, in order and in pieces, until `write` returns false.
  ///
  /// `write` is called on a thread of its own, one piece at a time, and may block. Throws ``LedgerStore/LedgerError``.
  package static func slice(
    _ ledger: LedgerReader, _ selection: LineSelection, as format: LedgerSlices.Format,
    write: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws {
    try await BlockingThread(named: "rewards.export").run {
      try LedgerSlices(ledger).scan(selection, as: format) { bytes in
        write(bytes) ? .next : .stop
      }
    }
  }

  /// Passes every line, including seals, exactly as it was sealed.
  package static func sealed(
    _ ledger: LedgerReader, write: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws {
    try await BlockingThread(named: "rewards.export").run {
      var piece: [UInt8] = []
      try ledger.scanLines(after: 0) { _, line in
        piece.append(contentsOf: line)
        guard piece.count >= pieceBytes else { return .next }
        defer { piece.removeAll(keepingCapacity: true) }
        return write(piece) ? .next : .stop
      }
      if !piece.isEmpty { _ = write(piece) }
    }
  }

  private static let pieceBytes = 1 << 20
}
