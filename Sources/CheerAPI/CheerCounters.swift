package import CivilTime
package import Evidence
package import Foundations
package import HTTPClient

/// The adapter's counters since its start, for metrics. They name routes and causes, never users.
package struct CheerCounters: Sendable, Equatable {
  /// The counters of one route.
  package struct Route: Sendable, Equatable {
    /// The number of requests sent.
    package internal(set) var requestCount = 0
    /// Failed calls by cause, including those that were not made.
    package internal(set) var failureCounts: [FailureCause: Int] = [:]
    /// The time from sending to the end of the answer, in seconds.
    package internal(set) var answerSeconds = Histogram()
  }

  /// The routes for users' activities.
  package internal(set) var routes: [Source: Route] = [:]
  /// Route 100.
  package internal(set) var login = Route()
  /// The number of attempts after the first.
  package internal(set) var retryCount = 0
  /// The number of unchanged answers, according to the API's validators.
  package internal(set) var unchangedCount = 0
  /// The number of users whose credentials were found to be expired.
  package internal(set) var expiredCount = 0
  /// The state of the circuit breaker.
  package internal(set) var breaker = CircuitBreaker.State.closed
  /// When the pause ends that the API requested for all users.
  package internal(set) var pausedUntil: Instant?

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
    case .coins: break
    case .login: change(&login)
    }
  }
}
