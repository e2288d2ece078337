public import CivilTime
import Foundations
public import Ledger
public import LedgerStore

/// Reads the state of a data folder without writing, whether or not a service holds the ledger.
public enum StateReading {
  /// Returns the state up to the ledger's last seal, or as it was at `instant`; throws ``LedgerStore/LedgerError``.
  public static func read(
    _ directory: DataDirectory, at instant: Instant? = nil
  ) async throws -> LedgerState {
    try await BlockingThread(named: "rewards.read").run {
      if instant == nil { return try newest(directory) }
      return try read(LedgerReader.open(directory), at: instant)
    }
  }

  /// Returns the state of one user alone, skipping the lines of others.
  public static func read(
    _ directory: DataDirectory, of user: String, at instant: Instant? = nil
  ) async throws -> LedgerState {
    try await BlockingThread(named: "rewards.read").run {
      var state = LedgerState()
      try LedgerReader.open(directory).readRecords(.of(.named([user]))) { record in
        if let instant, record.at > instant { return }
        state.apply(record)
      }
      return state
    }
  }

  /// Returns the state up to the last seal, or an empty state when there is no ledger yet.
  public static func readIfThere(_ directory: DataDirectory) async throws -> LedgerState {
    do {
      return try await read(directory)
    } catch let error as LedgerError where error.kind == .missing {
      return LedgerState()
    }
  }

  /// Returns the time of the last record of a ledger in simulated time; nil for a ledger in real time or when there is none.
  public static func simulatedPresent(_ directory: DataDirectory) async throws -> Instant? {
    do {
      return try await BlockingThread(named: "rewards.read").run {
        try LedgerReader.open(directory).simulatedPresent()
      }
    } catch let error as LedgerError where error.kind == .missing || error.kind == .refused {
      return nil
    }
  }

  /// Returns the state up to the ledger's last seal, starting from the newest snapshot. Blocks.
  static func newest(_ directory: DataDirectory) throws -> LedgerState {
    // Read before the ledger: one that grows meanwhile still has the snapshot's seal.
    let snapshot = SnapshotHeads.newest(directory)
    return try newest(from: snapshot, in: LedgerReader.open(directory))
  }

  /// Returns the state at the head of `reader`, starting from a snapshot that was read before `reader` was opened. Blocks.
  static func newest(
    from snapshot: (head: LedgerHead, payload: [UInt8])?, in reader: LedgerReader
  ) throws -> LedgerState {
    guard let snapshot, var state = try self.state(of: snapshot, in: reader)
    else { return try read(reader) }
    try reader.readRecords(after: max(state.seq, snapshot.head.seq)) { state.apply($0) }
    return state
  }

  /// Returns the state in a snapshot; nil when its head is not in the ledger or was taken back, or it has another format. Blocks.
  static func state(
    of snapshot: (head: LedgerHead, payload: [UInt8]), in reader: LedgerReader
  ) throws -> LedgerState? {
    guard snapshot.head.seq <= reader.head.seq,
      try reader.seals(of: [snapshot.head.seq]) == [snapshot.head],
      try !reader.isUndone(snapshot.head.seq)
    else { return nil }
    return try? StateSnapshot.read(snapshot.payload)
  }

  /// Returns the state at the end or at `instant`, by reading everything up to there. Blocks.
  static func read(_ reader: LedgerReader, at instant: Instant? = nil) throws -> LedgerState {
    var state = LedgerState()
    try reader.readRecords(after: 0) { record in
      if let instant, record.at > instant { return }
      state.apply(record)
    }
    return state
  }
}
