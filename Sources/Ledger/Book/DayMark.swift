public import CivilTime
public import Evidence

/// What became of a user's streak on a day without a login grant.
public struct DayMark: Sendable, Equatable {
  /// The day.
  public var day: Day
  /// What the ledger says of it; nil for a counted day whose grant was held back.
  public var what: StreakChange?
  /// The streak after the day.
  public var after: StreakMark

  /// A mark.
  public init(day: Day, what: StreakChange?, after: StreakMark) {
    self.day = day
    self.what = what
    self.after = after
  }
}

/// Kinds of activity on a day.
public struct DayKinds: Sendable, Equatable {
  /// The day.
  public var day: Day
  /// The kinds.
  public var kinds: KindSet

  /// Kinds on a day.
  public init(day: Day, kinds: KindSet) {
    self.day = day
    self.kinds = kinds
  }
}
