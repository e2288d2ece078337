/// A user's wish to live in another zone, from the instant at which it became known.
public struct ZoneChange: Hashable, Sendable {
  /// When the change became known; it takes effect at the end of the window that runs then.
  public let at: Instant
  /// The IANA name of the new zone.
  public let zone: String

  /// A change.
  public init(at: Instant, zone: String) {
    self.at = at
    self.zone = zone
  }
}
