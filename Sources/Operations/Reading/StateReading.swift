public import CivilTime
public import Ledger
public import LedgerStore
import Threading

/// Reads the state of a data folder without writing anything, whether a service holds the ledger or not.
public enum StateReading {
  /// The state up to the ledger's last seal, or as it was at `instant`; throws ``LedgerStore/LedgerError``.
  public static func read(
    _ directory: DataDirectory, at instant: Instant? = nil
  ) async throws -> LedgerState {
    try await BlockingThread(named: "rewards.read").run {
      try read(LedgerReader.open(directory), at: instant)
    }
  }

  /// The same of one user: a state that knows nobody else, read by passing over the lines of others.
  public static func read(
    _ directory: DataDirectory, of user: String, at instant: Instant? = nil
  ) async throws -> LedgerState {
    try await BlockingThread(named: "rewards.read").run {
      var state = LedgerState()
      try LedgerReader.open(directory).readRecords(of: .named([user])) { record in
        if let instant, record.at > instant { return }
        state.apply(record)
      }
      return state
    }
  }

  /// The same; an empty state where there is no ledger yet.
  public static func readIfThere(_ directory: DataDirectory) async throws -> LedgerState {
    do {
      return try await read(directory)
    } catch let error as LedgerError where error.kind == .missing {
      return LedgerState()
    }
  }

  /// The same on the calling thread, which it blocks.
  static func read(_ reader: LedgerReader, at instant: Instant? = nil) throws -> LedgerState {
    var state = LedgerState()
    try reader.readRecords(after: 0) { record in
      if let instant, record.at > instant { return }
      state.apply(record)
    }
    return state
  }
}
