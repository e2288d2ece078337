/// What the rules promise for a mission, a cycle day or a level, before anything is drawn or multiplied.
public struct RewardTerms: Sendable, Equatable {
  /// How much of each unit, 0 or more; exp before any booster.
  public var amounts = Amounts()
  /// Days of 24 hours for which a booster runs, 0 or more.
  public var boosterDays: Int64 = 0
  /// The category of which an item is drawn, or ``anyCategory``; nil for none.
  public var item: String?

  /// The word for "an item of any category".
  public static let anyCategory = "*"

  /// Nothing.
  public init() {}
}
