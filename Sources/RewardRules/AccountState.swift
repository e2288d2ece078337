public import CivilTime

/// What the rules must know of a user before they judge a day.
public struct AccountState: Sendable, Equatable {
  /// From 1 to ``LevelRules/highest``, or what other rules have led to.
  public var level: Int32 = 1
  /// Exp within the level; at the highest level it accumulates; negative is a debt, at level 1 only.
  public var exp: Int64 = 0
  /// Items as `CATEGORY/ITEM`, however they were got.
  public var owned: Set<String> = []
  /// When the last booster ends; nil when there never was one.
  public var boosterUntil: Instant?
  /// A time before ``boosterUntil`` in which none runs: what a plan let the user keep may begin later than the boosters end
  /// that the rules give. There is one at most that still matters.
  public var boosterPause: BoosterWindow?
  /// The streak before the day.
  public var streak = StreakState()
  /// Whether an earlier day is not decided yet, so that the cycle day of later days is not known.
  public var isStreakPending = false

  /// Creates a user without a past.
  public init() {}

  /// Adds exp, or takes it away when `delta` is negative, and moves the level accordingly.
  ///
  /// `caps` is the rules' table (``LevelRules/caps``). What does not fill a level carries over; at the
  /// highest level it accumulates; below level 1 it becomes a debt. So the state depends on the sum of all deltas only, not on
  /// their order. A level that only other rules know is not left upwards; downwards each costs what the table's last does.
  /// Returns false when the sum passed 64 bits and stopped there.
  @discardableResult
  public mutating func apply(exp delta: Int64, caps: [Int64]) -> Bool {
    // What brings no exp lifts no level, whatever another table would say.
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

  private static func cap(of level: Int32, in caps: [Int64]) -> Int64? {
    let index = Int(level) - 1
    guard caps.indices.contains(index), caps[index] > 0 else { return nil }
    return caps[index]
  }
}
