package import CivilTime
import Digests
import Foundations
package import Ledger

/// A ledger in memory, for tests and for a service that only shows what it would do.
package final class InMemoryLedger: LedgerAppending {
  private struct State {
    var head: LedgerHead
    var at = Instant.earliest
    var records: [Record] = []
  }

  private let state: Lock<State>
  private let keepsRecords: Bool
  private let now: @Sendable () -> Instant

  /// Creates a ledger that continues after `head`; with `keepsRecords` false it discards the records.
  package init(
    after head: LedgerHead = .origin, keepsRecords: Bool = true,
    now: @escaping @Sendable () -> Instant
  ) {
    state = Lock(State(head: head))
    self.keepsRecords = keepsRecords
    self.now = now
  }

  /// The position of the last seal; its hash is meaningless.
  package var head: LedgerHead { state.withLock { $0.head } }

  /// Always true.
  package var isReady: Bool { true }
  /// All records so far, without seals.
  package var records: [Record] { state.withLock { $0.records } }

  /// Appends the bodies and a seal without a computed hash.
  package func append(_ bodies: [RecordBody]) throws -> [Record] {
    let now = now().truncatedToMilliseconds
    return state.withLock { state in
      state.at = max(state.at, now)
      var seq = state.head.seq
      let records = bodies.map { body in
        seq += 1
        return Record(seq: seq, at: state.at, body: body)
      }
      state.head = LedgerHead(seq: seq + 1, hash: .zero)
      if keepsRecords { state.records += records }
      return records
    }
  }
}

extension InMemoryLedger: PastReading {
  /// Returns the pasts of these users, from the records kept.
  package func pasts(of users: Set<String>) async throws -> LedgerState {
    var state = LedgerState(.pasts(of: users))
    for record in records { state.apply(record) }
    return state
  }
}
