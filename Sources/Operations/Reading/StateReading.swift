package import CivilTime
import Foundations
package import Ledger
package import LedgerStore

/// Reads the state at the head of a ledger without writing, whether or not a service holds it.
package enum StateReading {
  /// Returns the state at the head, or as it was when `instant` came, without what was recorded then; throws ``LedgerStore/LedgerError``.
  package static func read(
    _ ledger: LedgerReader, at instant: Instant? = nil
  ) async throws -> LedgerState {
    try await BlockingThread(named: "rewards.read").run {
      guard let instant else { return try ledger.state() }
      return try ledger.folded(RecordSelection.everything.recorded(before: instant))
    }
  }

  /// Returns the state of one user alone, skipping the lines of others.
  package static func read(
    _ ledger: LedgerReader, of user: String, at instant: Instant? = nil
  ) async throws -> LedgerState {
    try await BlockingThread(named: "rewards.read").run {
      try ledger.folded(.of(.named([user])).recorded(before: instant))
    }
  }

  /// Returns the state at the head, or an empty state when there is no ledger yet.
  package static func read(_ ledger: LedgerReader?) async throws -> LedgerState {
    guard let ledger else { return LedgerState() }
    return try await read(ledger, at: nil)
  }
}

extension LedgerReader {
  /// Returns the state at the head, starting from the newest snapshot. Blocks.
  func state() throws -> LedgerState {
    guard let snapshot = (try? newestSnapshot()) ?? nil, let state = try state(of: snapshot) else {
      return try folded()
    }
    let last = max(state.seq, snapshot.head.seq)
    return try folded(into: state, after: last)
  }

  /// Returns the state in a snapshot; nil when its head is not in the ledger or was taken back, or it has another format. Blocks.
  func state(of snapshot: (head: LedgerHead, payload: [UInt8])) throws -> LedgerState? {
    guard try seals(of: [snapshot.head.seq]) == [snapshot.head], try !isUndone(snapshot.head.seq)
    else { return nil }
    return try? StateSnapshot.read(snapshot.payload)
  }

  /// Returns `state` with the selected records after `seq` applied. Blocks.
  func folded(
    _ selection: RecordSelection = .everything, into state: consuming LedgerState = LedgerState(),
    after seq: UInt64 = 0
  ) throws -> LedgerState {
    var state = state
    try scan(selection, after: seq) { state.apply($0) }
    return state
  }
}
