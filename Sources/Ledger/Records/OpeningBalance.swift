/// What a user brings from before the ledger.
public struct OpeningBalance: Sendable, Equatable {
  /// Shop points.
  public var points: Int64
  /// Exp within the level.
  public var exp: Int64
  /// 1 to 30; level rewards up to it count as received.
  public var level: Int32
  /// The streak's length on the day before the first judged day.
  public var streak: Int32
  /// Items as `CATEGORY/ITEM`.
  public var items: [String]

  /// A value with these fields.
  public init(
    points: Int64 = 0, exp: Int64 = 0, level: Int32 = 1, streak: Int32 = 0,
    items: [String] = []
  ) {
    self.points = points
    self.exp = exp
    self.level = level
    self.streak = streak
    self.items = items
  }
}
