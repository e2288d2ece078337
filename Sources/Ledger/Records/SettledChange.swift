public import CivilTime
public import RewardRules
internal import StrictJSON

/// What a plan leaves of one user, as a whole: stands on the last record of the user's part that can carry it.
///
/// The records before it say how each key changes; this says how the user stands behind the last closed day once all of
/// them count.
public struct SettledChange: Sendable, Equatable {
  /// Level, exp and streak behind the last closed day.
  public struct Standing: Sendable, Equatable {
    /// 1 to 30.
    public var level: Int32
    /// Exp within the level.
    public var exp: Int64
    /// The streak.
    public var streak: StreakState
    /// The levels whose rewards stand for open days although closed days reach them: they are settled with those.
    public var rewardedLevels: [Int32]

    /// A standing.
    public init(level: Int32, exp: Int64, streak: StreakState, rewardedLevels: [Int32] = []) {
      self.level = level
      self.exp = exp
      self.streak = streak
      self.rewardedLevels = rewardedLevels
    }
  }

  /// When the user's last booster ends; nil when there is none any more.
  public var boosterUntil: Instant?
  /// A time before that in which no booster runs; nil for none.
  public var boosterPause: BoosterWindow?
  /// Items that the user no longer owns.
  public var lost: [String] = []
  /// Items that the user owns besides those of the records.
  public var gained: [String] = []
  /// Nil in lines of older versions of this program, where the sums of the records lead to the standing.
  public var standing: Standing?
  /// The closed days of which the plan brought in all that had come late; nil for none.
  public var days: ClosedRange<Day>?
  /// The last line that the plan knew.
  public var through: UInt64 = 0

  init() {}

  /// What a plan leaves.
  public init(
    boosterUntil: Instant?, boosterPause: BoosterWindow?, lost: [String], gained: [String],
    standing: Standing, days: ClosedRange<Day>?, through: UInt64
  ) {
    self.boosterUntil = boosterUntil
    self.boosterPause = boosterPause
    self.lost = lost
    self.gained = gained
    self.standing = standing
    self.days = days
    self.through = through
  }
}

extension SettledChange: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    var (level, exp, streak) = (
      standing?.level, standing?.exp, standing.map { StreakMark($0.streak) }
    )
    var (longest, lastDay) = (standing?.streak.longest, standing?.streak.lastDay)
    var rewardedLevels = standing?.rewardedLevels ?? []
    var (from, to) = (days?.lowerBound, days?.upperBound)
    try coder.field("boosterUntil", &boosterUntil)
    try coder.field("boosterPause", &boosterPause)
    try coder.field("lost", &lost)
    try coder.field("gained", &gained, unless: [])
    try coder.field("level", &level)
    try coder.field("exp", &exp)
    try coder.field("streak", &streak)
    try coder.field("longest", &longest)
    try coder.field("lastDay", &lastDay)
    try coder.field("levels", &rewardedLevels, unless: [])
    try coder.field("from", &from)
    try coder.field("to", &to)
    try coder.field("through", &through, unless: 0)
    standing = level.map { level in
      var state = StreakState()
      state.length = streak?.length ?? 0
      state.cycleDay = streak?.cycleDay ?? 0
      state.longest = longest ?? state.length
      state.lastDay = lastDay
      return Standing(
        level: level, exp: exp ?? 0, streak: state, rewardedLevels: rewardedLevels)
    }
    days = if let from, let to, from <= to { from...to } else { nil }
  }
}
