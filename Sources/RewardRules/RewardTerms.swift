/// What the rules promise for a mission, a cycle day or a level, before anything is drawn or multiplied.
public struct RewardTerms: Sendable, Equatable {
  /// Shop points, 0 or more.
  public var points: Int64 = 0
  /// Exp before any booster, 0 or more.
  public var exp: Int64 = 0
  /// Cheer coins, 0 or more.
  public var coins: Int64 = 0
  /// Days of 24 hours for which a booster runs, 0 or more.
  public var boosterDays: Int64 = 0
  /// The category of which an item is drawn, or ``anyCategory``; nil for none.
  public var item: String?

  /// The word for "an item of any category".
  public static let anyCategory = "*"

  /// Nothing.
  public init() {}
}
