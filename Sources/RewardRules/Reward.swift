public import CivilTime

/// What a grant gives, or, with negative amounts, takes back by an adjustment. All amounts are whole numbers.
public struct Reward: Hashable, Sendable {
  /// Shop points.
  public var points: Int64 = 0
  /// Exp before the booster.
  public var baseExp: Int64 = 0
  /// What the booster makes of it: 1 or the rules' multiplier.
  public var multiplier: Int64 = 1
  /// `baseExp` × `multiplier`.
  public var exp: Int64 = 0
  /// Cheer coins.
  public var coins: Int64 = 0
  /// Items as `CATEGORY/ITEM`.
  public var items: [String] = []
  /// The booster that the grant gives.
  public var booster: BoosterWindow?

  /// Nothing.
  public init() {}

  /// Whether a user has anything by it.
  public var isSomething: Bool {
    points != 0 || exp != 0 || coins != 0 || !items.isEmpty || booster != nil
  }
}

/// The half-open interval in which a booster runs.
public struct BoosterWindow: Hashable, Sendable {
  /// When it begins to act.
  public let from: Instant
  /// When it has ended.
  public let until: Instant

  /// A booster from `from` up to, not including, `until`.
  public init(from: Instant, until: Instant) {
    self.from = from
    self.until = until
  }
}
