internal import CivilTime
internal import Evidence
internal import Foundations
internal import HTTPClient
internal import Scheduling

/// Sends single requests within the promised limits: capped, at the rate, never into a pause or an open breaker.
///
/// All requests to the API pass through here, including logins. A request holds a slot while it waits for the rate, so
/// that a stall cannot save up a burst, but not while it waits for the end of a pause.
final class RateLimitedTransport: Sendable {
  private enum Passage {
    case passed(isProbe: Bool)
    case paused(seconds: Double)
    case refused(FailureCause)
  }

  private let http: any HTTPSending
  private let clock: any ServiceClock
  private let slots: Slots
  private let gates: Lock<Gates>
  private let counters: Lock<CheerCounters>

  init(
    http: any HTTPSending, clock: any ServiceClock, requestsPerSecond: Double, concurrency: Int
  ) {
    self.http = http
    self.clock = clock
    slots = Slots(count: concurrency, clock: clock)
    gates = Lock(Gates(requestsPerSecond: requestsPerSecond))
    counters = Lock(CheerCounters())
  }

  /// Makes one call, once.
  func exchange(_ request: HTTPRequest, for call: CheerCall) async -> Exchange<Response> {
    var hasTicket = false
    while true {
      guard await slots.acquire() else { return unsent(.cancelled, call) }
      switch await passGates(call.user, &hasTicket) {
      case .passed(let isProbe):
        defer { slots.release() }
        return await send(request, for: call, wasProbe: isProbe)
      case .refused(let cause):
        slots.release()
        return unsent(cause, call)
      case .paused(let seconds):
        slots.release()
        guard seconds < LookDeadline.secondsLeft(by: clock) else { return unsent(.throttled, call) }
        do { try await clock.sleep(seconds: seconds) } catch { return unsent(.cancelled, call) }
      }
    }
  }

  /// Sends nothing before `until`; requests already waiting for the rate wait for that too.
  func pauseAll(until: Instant) {
    let now = clock.passing()
    gates.withLock { $0.pauseAll(until: until, at: now) }
  }

  /// Returns the counters so far, with the state of the gates.
  func snapshot() -> CheerCounters {
    let now = clock.passing()
    let (breaker, pausedUntil) = gates.withLock {
      ($0.breaker.state, $0.pauses.apiPausedUntil(at: now))
    }
    return counters.withLock { counters in
      counters.breaker = breaker
      counters.pausedUntil = pausedUntil
      return counters
    }
  }

  /// Changes the counters, on behalf of the layers above.
  func count(_ change: (inout CheerCounters) -> Void) { counters.withLock { change(&$0) } }

  /// Waits for the rate; returns whether a request may be sent, must not be, or has to wait for the end of a pause.
  private func passGates(_ user: String, _ hasTicket: inout Bool) async -> Passage {
    while true {
      let now = clock.passing()
      switch gates.withLock({ $0.admit(user, hasTicket: hasTicket, at: now) }) {
      case .go(let isProbe): return .passed(isProbe: isProbe)
      case .refused(let cause): return .refused(cause)
      case .pause(let seconds): return .paused(seconds: seconds)
      case .rate(let seconds):
        hasTicket = true
        do { try await clock.sleep(seconds: seconds) } catch { return .refused(.cancelled) }
      }
    }
  }

  private func send(
    _ request: HTTPRequest, for call: CheerCall, wasProbe: Bool
  ) async -> Exchange<Response> {
    let (sentAt, begunAt) = (clock.now(), clock.passing())
    var request = request
    if let deadline = LookDeadline.current {
      request.timeoutSeconds = min(
        request.timeoutSeconds, max(LookDeadline.leastSeconds, deadline.secondsLeft(at: begunAt)))
      deadline.noteSent(at: begunAt)
    }
    let answer: Result<HTTPResponse, HTTPFailure>
    do throws(HTTPFailure) {
      answer = .success(try await http.send(request))
    } catch {
      answer = .failure(error)
    }
    let (now, endedAt) = (clock.now(), clock.passing())
    let outcome = Self.judge(answer)
    // Of other statuses, `Retry-After` does not mean "not before".
    let response = try? answer.get()
    let retryAfter = response.flatMap { $0.isOutage ? $0.retryAfterSeconds(now: now) : nil }
    let cause = outcome.cause
    gates.withLock {
      $0.report(call.user, cause: cause, pauseSeconds: retryAfter, wasProbe: wasProbe, at: endedAt)
    }
    counters.withLock { $0.count(call, cause: cause, seconds: endedAt.interval(since: begunAt)) }
    return Exchange(
      at: sentAt, answeredAt: now, wasSent: true, status: response?.status, outcome: outcome,
      retryAfterSeconds: retryAfter)
  }

  private func unsent(_ cause: FailureCause, _ call: CheerCall) -> Exchange<Response> {
    counters.withLock { $0.countFailure(call, cause: cause) }
    return .unsent(.failure(cause), at: clock.now())
  }

  private static func judge(_ answer: Result<HTTPResponse, HTTPFailure>) -> Response {
    answer.mapError(FailureCause.init).flatMap { response in
      FailureCause(response).map { .failure($0) } ?? .success(response)
    }
  }
}

extension Response {
  /// Why the call failed; nil if it was answered.
  var cause: FailureCause? { if case .failure(let cause) = self { cause } else { nil } }
}
