package import Evidence
import Foundations
import HTTPClient

/// Decides whether and when to retry a failed attempt, within a budget.
package struct RetryPolicy: Sendable {
  /// The decision after a failed attempt.
  package enum Decision: Sendable, Equatable {
    /// The poll has failed, for this cause.
    case giveUp(FailureCause)
    /// Wait, then try again.
    case retry(afterSeconds: Double)
  }

  /// Exponential backoff with full jitter.
  private static let schedule = RetrySchedule(delaysSeconds: [1, 2], jitter: .full)

  private var budget = RetryBudget()
  private var random: SplitMix64

  /// Creates a policy whose jitter follows from `seed`.
  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Records that a first attempt was sent.
  package mutating func noteFirstAttempt() { budget.earn() }

  /// Decides after attempt `attempt`, counted from 1, failed for `cause`; `retryAfterSeconds` is the delay that the API
  /// requested.
  package mutating func decide(
    after attempt: Int, cause: FailureCause, retryAfterSeconds: Int64?
  ) -> Decision {
    let pause = retryAfterSeconds ?? 0
    guard cause.isOutage, Double(pause) <= Gates.longestWaitSeconds,
      let delay = Self.schedule.delaySeconds(
        after: attempt, retryAfterSeconds: pause,
        random: Double.random(in: 0...1, using: &random))
    else { return .giveUp(cause) }
    return budget.spend() ? .retry(afterSeconds: delay) : .giveUp(.retryBudget)
  }
}

/// Keeps retries below a tenth of the requests, however many fail.
package struct RetryBudget: Sendable {
  /// The most that calm times can save up.
  private static let limitTenths = 1_000
  /// The initial balance, ten retries, so that even a small service can retry.
  private static let startTenths = 100

  private var tenths = Self.startTenths

  /// Creates a budget of ten retries.
  package init() {}

  /// Records a first attempt, which earns a tenth of a retry.
  package mutating func earn() { tenths = min(tenths + 1, Self.limitTenths) }

  /// Spends one retry; returns false if none is left.
  package mutating func spend() -> Bool {
    guard tenths >= 10 else { return false }
    tenths -= 10
    return true
  }
}
