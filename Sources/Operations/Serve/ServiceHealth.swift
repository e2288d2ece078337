import CivilTime
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
    /// Why nothing is seen of anybody; nil when something is.
    var api: String?
    /// What visits have seen.
    var looks: APIHealth
    /// Why nothing is granted; nil when all is well.
    public var reason: String? { clock ?? writing ?? inbox ?? api }
  }

  private let lock: Lock<State>
  private let told = Lock<[Topic: String]>([:])
  private let troubles: Troubles?

  /// A service that has just started, and looks at an active user every `intervalSeconds`.
  init(intervalSeconds: Int64, troubles: Troubles? = nil) {
    self.troubles = troubles
    lock = Lock(State(looks: APIHealth(intervalSeconds: intervalSeconds)))
  }

  /// What is known now.
  public var state: State { lock.withLock { $0 } }

  /// What a problem is about.
  enum Topic: Hashable, Sendable {
    case clock, credentials, inbox, inboxGap, rules
    case user(String)
  }

  /// Whether this was not the last that was told about `topic`.
  func isNews(_ problem: String, about topic: Topic) -> Bool {
    told.withLock { $0.updateValue(problem, forKey: topic) != problem }
  }

  /// Notes what a visit saw; what has changed about the API by it, when something has.
  func noteLooks(_ round: Poller.Round, at now: Instant, users: Int) -> APIChange? {
    lock.withLock { state in
      let (before, since) = (state.api, state.looks.blindSince)
      state.looks.note(round, at: now)
      state.api = state.looks.reason(at: now, users: users)
      switch (before, state.api) {
      case (nil, let reason?): return .outage(reason)
      case (_?, nil): return .end(seconds: since.map { now.seconds(since: $0) } ?? 0)
      default: return nil
      }
    }
  }

  /// The beginning or the end of a time in which nothing was seen.
  enum APIChange: Equatable, Sendable {
    case outage(String)
    case end(seconds: Int64)
  }

  func noteWritten() {
    lock.withLock { $0.writing = nil }
    troubles?.end(.disk)
  }

  /// Notes why the ledger cannot be written; returns whether it could before.
  @discardableResult func noteFailure(_ reason: String) -> Bool {
    let isNew = lock.withLock { state in
      defer { state.writing = reason }
      return state.writing == nil
    }
    troubles?.begin(.disk, reason: reason)
    return isNew
  }

  func noteInbox(_ reason: String?) { lock.withLock { $0.inbox = reason } }

  func noteClock(_ reason: String?) {
    lock.withLock { $0.clock = reason }
    if let reason { troubles?.begin(.clock, reason: reason) } else { troubles?.end(.clock) }
  }
}
