import Scheduling
import Threading

/// How a service is: whether it grants, and what it has told of whom it cannot judge.
public final class ServiceHealth: Sendable {
  /// What is known.
  public struct State: Sendable {
    /// Why the clock is not trusted; nil when it is.
    var clock: String? = "starting"
    /// Why the ledger could not be written the last time; nil when it could.
    var writing: String?
    /// Why the inbox is not read to its end; nil when it is.
    var inbox: String?
    /// Why nothing is granted; nil when all is well.
    public var reason: String? { clock ?? writing ?? inbox }
  }

  private let lock = Lock(State())
  private let blindVisits = Lock(0)
  private let told = Lock<[String: String]>([:])

  /// What is known now.
  public var state: State { lock.withLock { $0 } }

  /// Whether this was not told of `user` before.
  func isNews(_ problem: String, of user: String) -> Bool {
    told.withLock { $0.updateValue(problem, forKey: user) != problem }
  }

  /// Visits in a row that saw nothing after which the API counts as not answering.
  private static let blindLimit = 20

  /// Counts visits that saw nothing at all; whether the API answers, when that has just changed.
  func noteLooks(_ round: Poller.Round) -> Bool? {
    let failed = round.failures.values.reduce(0, +)
    guard round.looks > 0 else { return nil }
    return blindVisits.withLock { count in
      let wasBlind = count >= Self.blindLimit
      count = failed == round.looks ? count + 1 : 0
      let isBlind = count >= Self.blindLimit
      return isBlind == wasBlind ? nil : !isBlind
    }
  }

  func noteWritten() { lock.withLock { $0.writing = nil } }

  func noteFailure(_ reason: String) { lock.withLock { $0.writing = reason } }

  func noteInbox(_ reason: String?) { lock.withLock { $0.inbox = reason } }

  func noteClock(_ reason: String?) { lock.withLock { $0.clock = reason } }
}
