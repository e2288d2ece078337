public import Ledger
public import LedgerStore
import Threading

/// Streams parts of a ledger to wherever `write` takes them, whether a service holds it or not.
public enum LedgerExport {
  /// Hands the lines that `selection` wants to `write`, in order and in pieces, until `write` says that it takes no more.
  ///
  /// `write` is called on a thread of its own, one piece at a time, and may block. Throws ``LedgerStore/LedgerError``.
  public static func slice(
    _ directory: DataDirectory, _ selection: LineSelection, as format: LedgerSlices.Format,
    write: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws {
    try await stream(directory) { reader in
      try LedgerSlices(reader).read(selection, as: format) { bytes in
        if !write(bytes) { throw NobodyReads() }
      }
    }
  }

  /// Hands every line, seals included, exactly as it was sealed.
  public static func sealed(
    _ directory: DataDirectory, write: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws {
    try await stream(directory) { reader in
      var piece: [UInt8] = []
      try reader.readLines(after: 0) { _, line in
        piece.append(contentsOf: line)
        guard piece.count >= pieceBytes else { return }
        if !write(piece) { throw NobodyReads() }
        piece.removeAll(keepingCapacity: true)
      }
      if !piece.isEmpty { _ = write(piece) }
    }
  }

  private static let pieceBytes = 1 << 20

  /// Whoever took the bytes is gone: no error, there is just nothing left to do.
  private struct NobodyReads: Error {}

  private static func stream(
    _ directory: DataDirectory, _ work: @escaping @Sendable (LedgerReader) throws -> Void
  ) async throws {
    try await BlockingThread(named: "rewards.export").run {
      do {
        try work(LedgerReader.open(directory))
      } catch is NobodyReads {
        return
      }
    }
  }
}
