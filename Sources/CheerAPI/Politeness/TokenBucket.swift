public import CivilTime

/// The global rate: so many requests a second, and a tenth of a second's worth at once after a calm.
public struct TokenBucket: Sendable {
  private let perSecond: Double
  private let burst: Double
  private var tokens: Double
  private var last: Instant?

  /// A full bucket that gives `perSecond` tokens a second; more than 0.
  public init(perSecond: Double) {
    self.perSecond = perSecond
    burst = max(1, perSecond / 10)
    tokens = burst
  }

  /// Takes one token and says how many seconds to wait before it may be used.
  ///
  /// A clock that ran back earns nothing, one that jumped ahead no more than a full bucket.
  public mutating func take(at now: Instant) -> Double {
    if let last { tokens = min(burst, tokens + max(0, now.interval(since: last)) * perSecond) }
    last = now
    tokens -= 1
    return tokens >= 0 ? 0 : -tokens / perSecond
  }
}
