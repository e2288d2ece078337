public import CivilTime
public import Described
public import RewardRules

/// The state that a plan leaves for one user, as a whole. It is on the last record of the user's part that can carry it.
///
/// The records before it say how each key changes. This says what the user's state is after the last closed day, once
/// all of them count.
public struct SettledChange: Sendable, Equatable {
  /// The level, exp and streak after the last closed day.
  public struct Standing: Sendable, Equatable {
    /// The level, from 1.
    public var level: Int32
    /// Exp within the level.
    public var exp: Int64
    /// The streak.
    public var streak: StreakState
    /// Levels reached on closed days whose rewards stand for open days. They are settled with the closed days.
    public var rewardedLevels: [Int32]

    /// Creates a standing.
    public init(level: Int32, exp: Int64, streak: StreakState, rewardedLevels: [Int32] = []) {
      self.level = level
      self.exp = exp
      self.streak = streak
      self.rewardedLevels = rewardedLevels
    }
  }

  /// When the user's last booster ends; nil if there is none left.
  public var boosterUntil: Instant?
  /// An interval before that without a booster; nil for none.
  public var boosterPause: BoosterWindow?
  /// Items the user no longer owns.
  public var lost: [String]
  /// Items the user owns in addition to those of the records.
  public var gained: [String]
  /// The standing; nil in lines of older versions of this program, where the sums of the records lead to it.
  public var standing: Standing?
  /// The closed days for which the plan counted all late facts; nil for none.
  public var days: ClosedRange<Day>?
  /// The last line the plan considered.
  public var through: UInt64

  /// Creates a settled change.
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

extension SettledChange: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    let known = value?.pointee.standing
    boosterUntil = try coder.optional("boosterUntil", value?.pointee.boosterUntil)
    boosterPause = try coder.optional("boosterPause", value?.pointee.boosterPause)
    lost = try coder.field("lost", value?.pointee.lost)
    gained = try coder.field("gained", value?.pointee.gained, unless: [])
    let level = try coder.optional("level", known?.level)
    let exp = try coder.optional("exp", known?.exp)
    let streak = try coder.optional("streak", known.map { StreakMark($0.streak) })
    let longest = try coder.optional("longest", known?.streak.longest)
    let lastDay = try coder.optional("lastDay", known?.streak.lastDay)
    let levels = try coder.field("levels", known?.rewardedLevels, unless: [])
    let from = try coder.optional("from", value?.pointee.days?.lowerBound)
    let to = try coder.optional("to", value?.pointee.days?.upperBound)
    through = try coder.field("through", value?.pointee.through, unless: 0)
    standing = level.map { level in
      var state = StreakState()
      state.length = streak?.length ?? 0
      state.cycleDay = streak?.cycleDay ?? 0
      state.longest = longest ?? state.length
      state.lastDay = lastDay
      return Standing(level: level, exp: exp ?? 0, streak: state, rewardedLevels: levels)
    }
    days = if let from, let to, from <= to { from...to } else { nil }
  }
}
