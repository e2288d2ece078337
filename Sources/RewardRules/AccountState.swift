public import CivilTime

/// The state of a user's account, as the rules need it to judge a day.
public struct AccountState: Sendable, Equatable {
  /// The level, from 1 to ``LevelRules/highest``, or whatever other rules have led to.
  public var level: Int32 = 1
  /// Exp within the level. It accumulates at the highest level; a negative value is a debt, possible only at level 1.
  public var exp: Int64 = 0
  /// All items owned, from any source, as `CATEGORY/ITEM`.
  public var owned: Set<String> = []
  /// When the last booster ends; nil if there never was one.
  public var boosterUntil: Instant?
  /// An interval before ``boosterUntil`` without a booster. It exists because the booster that a plan lets the user
  /// keep may begin after the boosters from the rules end. At most one such interval still matters.
  public var boosterPause: BoosterWindow?
  /// The streak before the day.
  public var streak = StreakState()
  /// Whether an earlier day is pending, so that the cycle day of later days is unknown.
  public var isStreakPending = false

  /// Creates the account of a user without a past.
  public init() {}

  /// Adds exp, or removes it if `delta` is negative, and changes the level accordingly.
  ///
  /// `caps` is the rules' table (``LevelRules/caps``). Exp that does not fill a level carries over; at the highest
  /// level it accumulates, and below level 1 it becomes a debt. So the state depends only on the sum of all deltas,
  /// not on their order. A level beyond the table is never left upwards; leaving it downwards costs as much as the
  /// last level of the table. Returns false if the sum passed 64 bits and stopped there.
  @discardableResult
  public mutating func apply(exp delta: Int64, caps: [Int64]) -> Bool {
    // A change of no exp lifts no level, even under another table.
    if delta == 0 { return true }
    let exact = exp.addingReportingOverflow(delta)
    exp = exp.addingSaturated(delta)
    while let cap = Self.cap(of: level, in: caps), exp >= cap {
      exp -= cap
      level += 1
    }
    while exp < 0, level > 1,
      let cap = Self.cap(of: min(level - 1, Int32(caps.count)), in: caps)
    {
      exp += cap
      level -= 1
    }
    return !exact.overflow
  }

  /// Returns all exp that made the level and what is within it.
  public func totalExp(caps: [Int64]) -> Int64 {
    (1..<max(level, 1)).reduce(exp) { $0.addingSaturated(Self.cap(of: $1, in: caps) ?? 0) }
  }

  private static func cap(of level: Int32, in caps: [Int64]) -> Int64? {
    let index = Int(level) - 1
    guard caps.indices.contains(index), caps[index] > 0 else { return nil }
    return caps[index]
  }
}
