public import Evidence
import SeededRandom

/// Decides whether a failed attempt is followed by another, and when: exponential backoff with full jitter.
public struct RetryPolicy: Sendable {
  /// What to do after a failed attempt.
  public enum Decision: Sendable, Equatable {
    /// The look has failed, for this cause.
    case giveUp(FailureCause)
    /// Wait, then try again.
    case retry(afterSeconds: Double)
  }

  private static let attemptLimit = 3
  private static let firstBackoffSeconds = 0.5
  private static let longestWaitSeconds = Gates.longestWaitSeconds

  private var budget = RetryBudget()
  private var random: SplitMix64

  /// A policy whose jitter follows from `seed`.
  public init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Notes that a first attempt was sent.
  public mutating func noteFirstAttempt() { budget.earn() }

  /// Decides after attempt `attempt`, counted from 1, failed for `cause`; `retryAfterSeconds` is what the API asked for.
  public mutating func decide(
    after attempt: Int, cause: FailureCause, retryAfterSeconds: Int64?
  ) -> Decision {
    let pause = Double(retryAfterSeconds ?? 0)
    guard cause.isOutage, attempt < Self.attemptLimit, pause <= Self.longestWaitSeconds else {
      return .giveUp(cause)
    }
    guard budget.spend() else { return .giveUp(.retryBudget) }
    let ceiling = Self.firstBackoffSeconds * Double(1 << attempt)
    return .retry(afterSeconds: pause + Double.random(in: 0...ceiling, using: &random))
  }
}

/// Keeps retries under a tenth of the requests, however bad the weather.
public struct RetryBudget: Sendable {
  /// What a calm can save up.
  private static let limitTenths = 1_000
  /// What a fresh start has, so that a small service may retry at all: ten retries.
  private static let startTenths = 100

  private var tenths = Self.startTenths

  /// A budget with ten retries in hand.
  public init() {}

  /// Notes a first attempt: it earns a tenth of a retry.
  public mutating func earn() { tenths = min(tenths + 1, Self.limitTenths) }

  /// Takes one retry; false when there is none left.
  public mutating func spend() -> Bool {
    guard tenths >= 10 else { return false }
    tenths -= 10
    return true
  }
}
