public import CivilTime
internal import StrictJSON

/// A user's zone from an instant on, or the user's removal.
public struct UserRecord: Sendable, Equatable {
  /// The user's id.
  public var user = ""
  /// The IANA zone; unchanged by a removal.
  public var zone = ""
  /// From when on: the import, a zone change's becoming known, or the boundary at which it took effect.
  public var from = Instant.earliest
  /// The first day on which the user is judged, when it is not the day of `from`.
  public var since: Day?
  /// What the user starts with.
  public var opening: OpeningBalance?
  /// Set when a move takes effect at `from`: the label of the day that ended before.
  public var takesEffect: Day?
  /// Whether the user leaves.
  public var removed = false

  init() {}

  /// The record of a user.
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

extension UserRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("user", &user)
    try coder.field("zone", &zone)
    try coder.field("from", &from)
    try coder.field("since", &since)
    try coder.field("opening", &opening)
    try coder.field("takesEffect", &takesEffect)
    try coder.field("removed", &removed, unless: false)
  }
}

/// What a user brings from before the ledger.
public struct OpeningBalance: Sendable, Equatable {
  /// Shop points.
  public var points: Int64 = 0
  /// Exp within the level.
  public var exp: Int64 = 0
  /// The level; level rewards up to it count as received.
  public var level: Int32 = 1
  /// The streak's length on the day before the first judged day.
  public var streak: Int32 = 0
  /// Items as `CATEGORY/ITEM`.
  public var items: [String] = []

  init() {}

  /// A balance.
  public init(
    points: Int64 = 0, exp: Int64 = 0, level: Int32 = 1, streak: Int32 = 0, items: [String] = []
  ) {
    self.points = points
    self.exp = exp
    self.level = level
    self.streak = streak
    self.items = items
  }
}

extension OpeningBalance: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("points", &points)
    try coder.field("exp", &exp)
    try coder.field("level", &level)
    try coder.field("streak", &streak)
    try coder.field("items", &items)
  }
}
