public import Ledger
public import LedgerStore
import Threading

/// Looks at a ledger as it lies on the disk, whether a service holds it or not.
public enum LedgerReading {
  /// The last seal; throws ``LedgerStore/LedgerError``.
  public static func head(_ directory: DataDirectory) async throws -> LedgerHead {
    try await BlockingThread(named: "rewards.head").run { try LedgerReader.open(directory).head }
  }

  /// Checks everything; `heads` are known from outside and must be in the ledger. Changes nothing.
  public static func verify(
    _ directory: DataDirectory, heads: [LedgerHead]
  ) async throws -> VerificationReport {
    try await BlockingThread(named: "rewards.verify").run {
      try LedgerVerifier(folder: directory.ledger).verify(heads: heads)
    }
  }
}
