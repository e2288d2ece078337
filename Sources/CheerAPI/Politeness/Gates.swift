internal import CivilTime
internal import Evidence
internal import HTTPClient

extension CircuitBreaker.Policy {
  /// The policy for the API.
  static let api = Self(
    opensAfter: .mostCalls(ofAtLeast: 20), pauseSeconds: 5...60, probesToClose: 3)
}

/// The gates before every request: pauses, the breaker and the rate, decided together.
struct Gates: Sendable {
  /// The longest pause that is waited for: with a longer one, the poll fails, and the next comes later.
  static let longestWaitSeconds = 30.0

  /// The decision about a request.
  enum Admission: Equatable {
    /// Send it now, and report the result.
    case go(isProbe: Bool)
    /// Ask again after the pause.
    case pause(seconds: Double)
    /// Ask again with this ticket when the rate allows it.
    case rate(seconds: Double)
    /// Do not send it.
    case refused(FailureCause)
  }

  private(set) var pauses = PauseGate()
  private(set) var breaker = CircuitBreaker(.api)
  private var bucket: TokenBucket

  /// Creates open gates with a rate.
  init(requestsPerSecond: Double) { bucket = TokenBucket(perSecond: requestsPerSecond) }

  /// Returns whether a request about `user` may be sent; `hasTicket` once it has waited for the rate.
  mutating func admit(_ user: String, hasTicket: Bool, at now: Instant) -> Admission {
    let pause = pauses.secondsLeft(for: user, at: now)
    if pause > Self.longestWaitSeconds { return .refused(.throttled) }
    if pause > 0 { return .pause(seconds: pause) }
    if breaker.refuses(at: now) { return .refused(.circuitOpen) }
    if !hasTicket {
      let wait = bucket.reserve(at: now)
      if wait > 0 { return .rate(seconds: wait) }
    }
    return .go(isProbe: breaker.admit(at: now) == .probe)
  }

  /// Admits nothing before `until`, because the API asked another process to pause.
  mutating func pauseAll(until: Instant, at now: Instant) { pauses.pauseAll(until: until, at: now) }

  /// Reports an admitted request: nil for any usable answer, `pauseSeconds` from `Retry-After`.
  mutating func report(
    _ user: String, cause: FailureCause?, pauseSeconds: Int64?, wasProbe: Bool, at now: Instant
  ) {
    if let pauseSeconds, pauseSeconds > 0 {
      pauses.pause(user, forSeconds: pauseSeconds, at: now)
    } else if cause?.isOutage != true {
      pauses.noteAnswer()
    }
    let report: CircuitBreaker.Report =
      switch cause {
      case .cancelled: .nothing
      case let cause?: cause.isOutage ? .bad : .good
      case nil: .good
      }
    breaker.report(report, wasProbe: wasProbe, at: now)
  }
}
