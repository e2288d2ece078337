public import CivilTime
public import Evidence
public import RewardRules

/// What stands under one key, adjustments added up.
public struct StandingGrant: Sendable, Equatable {
  // Small parts stand together, so that they share their padding: a user on an open day has several of these.
  /// The key's text.
  public let text: String
  /// What the user has by it.
  public internal(set) var net: Reward
  /// The key, nil for grants by hand and waivers.
  public let key: RewardKey?
  /// Whether nothing is demanded under the key any more.
  public internal(set) var isVoid = false
  /// Whether a reversal has taken it back.
  public internal(set) var isReversed = false
  /// Whether it is a level's reward for an open day that a plan has moved into the closed ones: the state at the boundary
  /// holds it already.
  public internal(set) var isSettled = false
  /// The streak after the day, for `login`.
  public internal(set) var streak: StreakMark?
  /// The day to whose limits it counts.
  public internal(set) var day: Day
  /// When it takes effect.
  public internal(set) var effective: Instant
  /// How many adjustments stand behind it.
  public internal(set) var adjustments = 0
  /// The evidence that demanded it last, 0 for none.
  public internal(set) var evidence: UInt64 = 0
  /// The plan by which it was taken back, nil for none.
  public internal(set) var reversedBy: String?

  /// Creates a first grant.
  public init(
    text: String, key: RewardKey?, day: Day, effective: Instant, net: Reward, streak: StreakMark?
  ) {
    self.text = text
    self.key = key
    self.day = day
    self.effective = effective
    self.net = net
    self.streak = streak
  }

  /// What the key is when no rule demands it.
  public var handKey: HandKey? { key == nil ? HandKey(text: text) : nil }
  /// Whether a plan let the user keep it.
  public var isWaived: Bool { if case .waived = handKey { true } else { false } }
  /// Whether a person gave it by hand.
  public var isManual: Bool { if case .manual = handKey { true } else { false } }
  /// The level whose reward it is, nil for anything else.
  public var level: Int? { if case .level(let level) = key { level } else { nil } }

  /// Adds an adjustment.
  mutating func add(_ grant: GrantRecord) {
    day = grant.day
    adjustments += 1
    effective = grant.effective
    isVoid = grant.isVoid
    net.amounts += grant.reward.amounts
    net.baseExp = net.baseExp.addingSaturated(grant.reward.baseExp)
    net.multiplier = grant.reward.multiplier
    net.items.removeAll { grant.removedItems.contains($0) }
    net.items += grant.reward.items
    net.booster = grant.reward.booster
    if let first = grant.evidence.first { evidence = first }
    if let mark = grant.streak { streak = mark }
  }

  /// Takes the grant back, or undoes that.
  mutating func reverse(by reversal: ReversalRecord) {
    isReversed = !reversal.undone
    reversedBy = reversal.undone ? nil : reversal.plan
  }
}

/// What became of a user's streak on a day without a login grant.
public struct DayMark: Sendable, Equatable {
  /// The day.
  public var day: Day
  /// What the ledger says of it; nil for a counted day whose grant was held back.
  public var what: StreakChange?
  /// The streak after the day.
  public var after: StreakMark

  /// Creates a mark.
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
