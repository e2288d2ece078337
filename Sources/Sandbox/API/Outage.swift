public import CivilTime

/// A span of time in which the API does not work.
public struct Outage: Sendable, Equatable {
  /// How it does not.
  public enum Manner: Sendable {
    /// Everything is answered with 503.
    case unavailable
    /// Every connection closes without a byte.
    case unreachable
  }

  /// The first instant of the outage.
  public var from: Instant
  /// The first instant after it.
  public var to: Instant
  /// How the API does not work.
  public var manner: Manner

  /// An outage.
  public init(from: Instant, to: Instant, manner: Manner = .unavailable) {
    self.from = from
    self.to = to
    self.manner = manner
  }
}
