internal import CivilTime
internal import Evidence

/// All that stands before a request: pauses, the breaker and the rate, decided together.
struct Gates: Sendable {
  /// A pause longer than this is not waited for: the look fails, the next one comes later.
  static let longestWaitSeconds = 30.0

  /// What may be done with a request.
  enum Admission: Equatable {
    /// Send it now, and report how it went.
    case go(isProbe: Bool)
    /// Ask again when the pause is over.
    case pause(seconds: Double)
    /// Ask again, with the ticket that this is, when the rate allows it.
    case rate(seconds: Double)
    /// Do not send it.
    case refused(FailureCause)
  }

  private(set) var pauses = PauseGate()
  private(set) var breaker = CircuitBreaker()
  private var bucket: TokenBucket

  /// Open gates with a rate.
  init(requestsPerSecond: Double) { bucket = TokenBucket(perSecond: requestsPerSecond) }

  /// Asks whether a request about `user` may be sent; `hasTicket` once it has waited for the rate.
  mutating func admit(_ user: String, hasTicket: Bool, at now: Instant) -> Admission {
    let pause = pauses.secondsLeft(for: user, at: now)
    if pause > Self.longestWaitSeconds { return .refused(.throttled) }
    if pause > 0 { return .pause(seconds: pause) }
    if breaker.refuses(at: now) { return .refused(.circuitOpen) }
    if !hasTicket {
      let wait = bucket.take(at: now)
      if wait > 0 { return .rate(seconds: wait) }
    }
    return .go(isProbe: breaker.admit(at: now) == .probe)
  }

  /// Lets nothing through before then: somebody else was told so.
  mutating func pauseAll(until: Instant, at now: Instant) { pauses.pauseAll(until: until, at: now) }

  /// Reports a request that was let through: nil for an answer of any use, `pauseSeconds` from `Retry-After`.
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
