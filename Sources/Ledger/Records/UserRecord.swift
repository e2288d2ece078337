public import CivilTime

/// A user's zone from an instant on, or the user's removal.
public struct UserRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The IANA zone; unchanged by a removal.
  public var zone: String
  /// From when on: the import, a zone change's becoming known, or the boundary at which it took effect.
  public var from: Instant
  /// The first day on which the user is judged, when it is not the day of `from`.
  public var since: Day?
  /// What the user starts with.
  public var opening: OpeningBalance?
  /// Set when a zone change takes effect at `from`: the label of the day that ended there.
  public var takesEffect: Day?
  /// Whether the user leaves.
  public var removed: Bool

  /// The record with these fields.
  public init(
    user: String, zone: String, from: Instant, since: Day? = nil,
    opening: OpeningBalance? = nil, takesEffect: Day? = nil, removed: Bool = false
  ) {
    self.user = user
    self.zone = zone
    self.from = from
    self.since = since
    self.opening = opening
    self.takesEffect = takesEffect
    self.removed = removed
  }
}
