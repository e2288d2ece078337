public import CivilTime

/// What a user received elsewhere: exp from a bought card, items from the shop.
public struct Credit: Hashable, Sendable {
  /// When it takes effect.
  public let effective: Instant
  /// Exp, never multiplied by a booster. 0 or more.
  public let exp: Int64
  /// Items, as `CATEGORY/ITEM`.
  public let items: [String]

  /// Creates a credit.
  public init(effective: Instant, exp: Int64, items: [String]) {
    self.effective = effective
    self.exp = exp
    self.items = items
  }
}
