import Dispatch
import Foundations
import Ledger
import Scheduling

/// A ledger in memory whose process dies at one append, and whose disk can be slow.
final class DyingLedger: LedgerAppending {
  /// When the process dies at an append.
  enum Moment: Sendable, CaseIterable {
    /// Before anything is on disk.
    case before
    /// When all is on disk, but nobody has been told.
    case after
  }

  struct Died: Error {}

  private struct State {
    var appends = 0
    var dyingAt = Int.max
    var moment = Moment.before
    var isDead = false
    var delays: [Double] = []
  }

  private let clock: any ServiceClock
  private let inner: InMemoryLedger
  private let state = Lock(State())

  init(clock: any ServiceClock) {
    self.clock = clock
    inner = InMemoryLedger(now: { clock.now() })
  }

  var head: LedgerHead { inner.head }
  var records: [Record] { inner.records }
  /// Whether the process has died; nothing can be appended then.
  var isDead: Bool { state.withLock { $0.isDead } }

  /// Lets the process die at the `number`-th append from now.
  func die(at number: Int, _ moment: Moment) {
    state.withLock { state in
      state.dyingAt = state.appends + number
      state.moment = moment
    }
  }

  /// A new process begins; it does not die.
  func revive() {
    state.withLock { state in
      state.isDead = false
      state.dyingAt = .max
    }
  }

  /// Lets the next appends take so many seconds each.
  func slowDown(by delays: [Double]) { state.withLock { $0.delays = delays } }

  var isReady: Bool { !isDead }

  func append(_ bodies: [RecordBody]) throws -> [Record] {
    let delay = state.withLock { $0.delays.isEmpty ? nil : $0.delays.removeFirst() }
    if let delay { block(seconds: delay) }
    let dies = try state.withLock { state -> Moment? in
      if state.isDead { throw Died() }
      state.appends += 1
      guard state.appends == state.dyingAt else { return nil }
      state.isDead = true
      return state.moment
    }
    if dies == .before { throw Died() }
    let records = try inner.append(bodies)
    if dies == .after { throw Died() }
    return records
  }

  /// Holds up the writer's thread; its caller's unit of work is lent to the clock meanwhile.
  private func block(seconds: Double) {
    let isOver = DispatchSemaphore(value: 0)
    Task { [clock] in
      try? await clock.sleep(seconds: seconds)
      isOver.signal()
    }
    isOver.wait()
  }
}

extension DyingLedger: PastReading {
  func pasts(of users: Set<String>) async throws -> LedgerState {
    try await inner.pasts(of: users)
  }
}
