package import CivilTime

/// The global rate: a number of requests per second, with a burst of a tenth of a second's worth after a lull.
package struct TokenBucket: Sendable {
  private let perSecond: Double
  private let burst: Double
  private var tokens: Double
  private var last: Instant?

  /// Creates a full bucket that yields `perSecond` tokens a second; more than 0.
  package init(perSecond: Double) {
    self.perSecond = perSecond
    burst = max(1, perSecond / 10)
    tokens = burst
  }

  /// Takes one token and returns how many seconds to wait before using it.
  ///
  /// A clock that went back earns nothing; one that jumped ahead earns no more than a full bucket.
  package mutating func reserve(at now: Instant) -> Double {
    if let last { tokens = min(burst, tokens + max(0, now.interval(since: last)) * perSecond) }
    last = now
    tokens -= 1
    return tokens >= 0 ? 0 : -tokens / perSecond
  }
}
