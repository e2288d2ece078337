public import CivilTime
public import Evidence
public import Metrics

/// What the adapter has done since it started, for metrics. Names routes and causes, never users.
public struct CheerCounters: Sendable, Equatable {
  /// The counters of one route.
  public struct Route: Sendable, Equatable {
    /// Requests that were sent.
    public internal(set) var requestCount = 0
    /// Calls by how they failed, those that were not made included.
    public internal(set) var failureCounts: [FailureCause: Int] = [:]
    /// Time from sending to the end of the answer, in seconds.
    public internal(set) var answerSeconds = Histogram()
  }

  /// The routes that tell what users did.
  public internal(set) var routes: [Source: Route] = [:]
  /// Route 198.
  public internal(set) var coins = Route()
  /// Route 100.
  public internal(set) var login = Route()
  /// Attempts after the first.
  public internal(set) var retryCount = 0
  /// Answers that were the same as before, by the API's validators.
  public internal(set) var unchangedCount = 0
  /// Users whose credentials were found to be expired.
  public internal(set) var expiredCount = 0
  /// Where the circuit breaker stands.
  public internal(set) var breaker = CircuitBreaker.State.closed
  /// Until when the API asked everybody to wait.
  public internal(set) var pausedUntil: Instant?

  /// Notes a call that was made.
  mutating func note(_ call: CheerCall, cause: FailureCause?, seconds: Double) {
    update(call) { route in
      route.requestCount += 1
      route.answerSeconds.observe(seconds)
      if let cause { route.failureCounts[cause, default: 0] += 1 }
    }
  }

  /// Notes a failure that no exchange told: a call that was not made, or a body that was no answer.
  mutating func noteFailure(_ call: CheerCall, cause: FailureCause) {
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
