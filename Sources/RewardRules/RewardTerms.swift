/// The reward promised by the rules for a mission, a cycle day or a level, before drawing and multiplying.
public struct RewardTerms: Sendable, Equatable {
  /// The amount of each unit, 0 or more; exp before any booster.
  public var amounts = Amounts()
  /// The duration of a booster in days of 24 hours, 0 or more.
  public var boosterDays: Int64 = 0
  /// The category to draw an item from, or ``anyCategory``; nil for none.
  public var item: String?

  /// The category name that means "any category".
  public static let anyCategory = "*"

  /// Creates empty terms.
  public init() {}
}
