import Foundations
import Ledger
import Scheduling

/// A ledger in memory that refuses appends when told to.
final class FlakyLedger: LedgerAppending {
  struct DiskFull: Error {}

  private let inner: InMemoryLedger
  private let state = Lock((left: Int.max, appends: 0))

  init(clock: SetClock) { inner = InMemoryLedger(now: { clock.now() }) }

  var head: LedgerHead { inner.head }
  /// It refuses by its own will, not for a record's sake.
  var isReady: Bool { false }
  var records: [Record] { inner.records }
  /// Appends that were let through.
  var appends: Int { state.withLock { $0.appends } }

  /// Lets `count` more appends through and refuses those after them.
  func refuse(after count: Int) { state.withLock { $0.left = count } }
  /// Refuses nothing any more.
  func heal() { state.withLock { $0.left = .max } }

  func append(_ bodies: [RecordBody]) throws -> [Record] {
    let isLetThrough = state.withLock { state in
      guard state.left > 0 else { return false }
      state.left -= 1
      state.appends += 1
      return true
    }
    guard isLetThrough else { throw DiskFull() }
    return try inner.append(bodies)
  }
}

extension FlakyLedger: PastReading {
  func pasts(of users: Set<String>) async throws -> LedgerState {
    try await inner.pasts(of: users)
  }
}
