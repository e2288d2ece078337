import CivilTime
import Foundations
import Scheduling

/// The health of a service: whether it grants, and which problems it has already logged.
package final class ServiceHealth: Sendable {
  /// The known state.
  package struct State: Sendable {
    /// The reason the clock is not trusted; nil when it is.
    var clock: String? = "starting"
    /// The reason the last write to the ledger failed; nil when it succeeded.
    var writing: String?
    /// The reason the inbox is not fully read; nil when it is.
    var inbox: String?
    /// The reason no user can be observed; nil when some can.
    var api: String?
    /// The results of visits.
    var looks: APIHealth
    /// The reason nothing is granted; nil when all is well.
    package var reason: String? { clock ?? writing ?? inbox ?? api }
  }

  private let lock: Lock<State>
  private let told = Lock<[Topic: String]>([:])
  private let troubles: Troubles?

  /// Creates the health of a service that has just started and polls an active user every `intervalSeconds`.
  init(intervalSeconds: Int64, troubles: Troubles? = nil) {
    self.troubles = troubles
    lock = Lock(State(looks: APIHealth(intervalSeconds: intervalSeconds)))
  }

  /// The state now.
  package var state: State { lock.withLock { $0 } }

  /// The subject of a problem.
  enum Topic: Hashable, Sendable {
    case clock, credentials, inbox, inboxGap, rules
    case user(String)
  }

  /// Notes a problem about `topic`; returns whether it differs from the last one.
  func isNews(_ problem: String, about topic: Topic) -> Bool {
    told.withLock { $0.updateValue(problem, forKey: topic) != problem }
  }

  /// Notes the result of a visit; returns the change that it made to the API's state, if any.
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

  /// The beginning or the end of an outage.
  enum APIChange: Equatable, Sendable {
    case outage(String)
    case end(seconds: Int64)
  }

  func noteWritten() {
    lock.withLock { $0.writing = nil }
    troubles?.end(.disk)
  }

  /// Notes why the ledger cannot be written; returns whether it could be before.
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
