public import CivilTime
public import Evidence
public import Foundations
public import HTTPClient

/// The adapter's counters since its start, for metrics. They name routes and causes, never users.
public struct CheerCounters: Sendable, Equatable {
  /// The counters of one route.
  public struct Route: Sendable, Equatable {
    /// The number of requests sent.
    public internal(set) var requestCount = 0
    /// Failed calls by cause, including those that were not made.
    public internal(set) var failureCounts: [FailureCause: Int] = [:]
    /// The time from sending to the end of the answer, in seconds.
    public internal(set) var answerSeconds = Histogram()
  }

  /// The routes for users' activities.
  public internal(set) var routes: [Source: Route] = [:]
  /// Route 198.
  public internal(set) var coins = Route()
  /// Route 100.
  public internal(set) var login = Route()
  /// The number of attempts after the first.
  public internal(set) var retryCount = 0
  /// The number of unchanged answers, according to the API's validators.
  public internal(set) var unchangedCount = 0
  /// The number of users whose credentials were found to be expired.
  public internal(set) var expiredCount = 0
  /// The state of the circuit breaker.
  public internal(set) var breaker = CircuitBreaker.State.closed
  /// When the pause ends that the API requested for all users.
  public internal(set) var pausedUntil: Instant?

  /// Counts a call that was made.
  mutating func count(_ call: CheerCall, cause: FailureCause?, seconds: Double) {
    update(call) { route in
      route.requestCount += 1
      route.answerSeconds.observe(seconds)
      if let cause { route.failureCounts[cause, default: 0] += 1 }
    }
  }

  /// Counts a failure without an exchange: a call that was not made, or a body that was no answer.
  mutating func countFailure(_ call: CheerCall, cause: FailureCause) {
    update(call) { $0.failureCounts[cause, default: 0] += 1 }
  }

  private mutating func update(_ call: CheerCall, _ change: (inout Route) -> Void) {
    switch call.route {
    case .source(let source): change(&routes[source, default: Route()])
    case .coins: change(&coins)
    case .login: change(&login)
    }
  }
}
