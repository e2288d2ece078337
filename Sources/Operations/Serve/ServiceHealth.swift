public import Evidence
import Scheduling
import Threading

/// How a service is: whether it grants, and what its looks brought.
public final class ServiceHealth: Sendable {
  /// What is known.
  public struct State: Sendable {
    /// Why the clock is not trusted; nil when it is.
    var clock: String? = "starting"
    /// Why the ledger could not be written the last time; nil when it could.
    var writing: String?
    /// Why nothing is granted; nil when all is well.
    public var reason: String? { clock ?? writing }
    /// Looks made since the start, failed ones included.
    public var looks = 0
    /// Looks that could not see, by cause.
    public var failures: [FailureCause: Int] = [:]
    /// Records appended by visits since the start.
    public var appended = 0
  }

  private let lock = Lock(State())
  private let told = Lock<[String: String]>([:])

  /// What is known now.
  public var state: State { lock.withLock { $0 } }

  func note(_ round: Visitor.Round) {
    lock.withLock { state in
      state.looks += round.looks
      state.failures.merge(round.failures, uniquingKeysWith: +)
      state.appended += round.records.count
    }
  }

  /// Whether this was not told of `user` before.
  func isNews(_ problem: String, of user: String) -> Bool {
    told.withLock { $0.updateValue(problem, forKey: user) != problem }
  }

  func noteWritten() { lock.withLock { $0.writing = nil } }

  func noteFailure(_ reason: String) { lock.withLock { $0.writing = reason } }

  func noteClock(_ reason: String?) { lock.withLock { $0.clock = reason } }
}
