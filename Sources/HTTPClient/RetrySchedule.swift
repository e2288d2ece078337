/// How long to wait before a failed call is repeated, and how often.
package struct RetrySchedule: Sendable, Equatable {
  /// How delays are spread, so that callers do not return together.
  package enum Jitter: Sendable, Equatable {
    /// Any part of the delay, after the pause that the server requests.
    case full
    /// Up to a fifth more than the delay, and at least the pause that the server requests.
    case aFifth
  }

  /// How long to wait after the first, second, … failed attempt, in seconds. After one more failure there is no other attempt.
  package var delaysSeconds: [Int64]
  /// How the delays are spread.
  package var jitter: Jitter

  package init(delaysSeconds: [Int64], jitter: Jitter) {
    self.delaysSeconds = delaysSeconds
    self.jitter = jitter
  }

  /// Returns how long to wait after `attempts` failures, by a random number from 0 to 1; nil for ever.
  ///
  /// `retryAfterSeconds` is the pause that the server requests.
  package func delaySeconds(
    after attempts: Int, retryAfterSeconds: Int64, random: Double
  ) -> Double? {
    precondition(attempts > 0)
    guard attempts <= delaysSeconds.count else { return nil }
    let (delay, asked) = (Double(delaysSeconds[attempts - 1]), Double(retryAfterSeconds))
    return switch jitter {
    case .full: asked + delay * random
    case .aFifth: max(asked, delay * (1 + random / 5))
    }
  }
}
