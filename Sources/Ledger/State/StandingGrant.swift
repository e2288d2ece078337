public import CivilTime
public import Evidence
public import RewardRules

/// What stands under one key, with adjustments added.
public struct StandingGrant: Sendable, Equatable {
  // Small parts stand together, so that they share their padding: a user on an open day has several of these.
  /// The key's text.
  public let text: String
  /// What the user has from it.
  public internal(set) var net: Reward
  /// The key; nil for manual grants and waivers.
  public let key: RewardKey?
  /// Whether the key is no longer required.
  public internal(set) var isVoid = false
  /// Whether a reversal has taken it back.
  public internal(set) var isReversed = false
  /// Whether it is a level reward for an open day that a plan has moved into the closed ones. The state at the
  /// boundary then already includes it.
  public internal(set) var isSettled = false
  /// The streak after the day; only for `login`.
  public internal(set) var streak: StreakMark?
  /// The day whose limits it counts towards.
  public internal(set) var day: Day
  /// When it takes effect.
  public internal(set) var effective: Instant
  /// The number of adjustments made.
  public internal(set) var adjustments = 0
  /// The evidence that last required it, or 0.
  public internal(set) var evidence: UInt64 = 0
  /// The plan that took it back; nil if none.
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

  /// The key if no rule produces it.
  public var handKey: HandKey? { key == nil ? HandKey(text: text) : nil }
  /// Whether it is a plan's waiver.
  public var isWaived: Bool { if case .waived = handKey { true } else { false } }
  /// Whether it is a manual grant.
  public var isManual: Bool { if case .manual = handKey { true } else { false } }
  /// The level it rewards; nil for anything else.
  public var level: Int? { if case .level(let level) = key { level } else { nil } }

  /// Adds an adjustment.
  public mutating func add(_ grant: GrantRecord) {
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

/// The effect on a user's streak of a day without a login grant.
public struct DayMark: Sendable, Equatable {
  /// The day.
  public var day: Day
  /// What the ledger says about it; nil for a counted day whose grant was held back.
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
  /// The kinds of activity on the day.
  public var kinds: KindSet

  /// Creates the kinds of a day.
  public init(day: Day, kinds: KindSet) {
    self.day = day
    self.kinds = kinds
  }
}
