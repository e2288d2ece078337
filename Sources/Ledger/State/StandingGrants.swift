public import CivilTime
public import RewardRules

/// What stands for one user by grants: all of open days; of closed ones only the rewards of levels.
public struct StandingGrants: Sendable, Equatable {
  /// What was granted for open days, in the order of the ledger.
  public internal(set) var open: [StandingGrant] = []
  /// The level rewards of closed days: no level is rewarded twice.
  public internal(set) var closedLevels: [ClosedLevel] = []

  /// Returns the index of the open grant under the base key `text` of the line `grant`. Days are compared before
  /// texts: a long past is not searched text by text for each of its grants.
  func openIndex(_ text: String, of grant: GrantRecord) -> Int? {
    // A level may be reached again on another day.
    let mayBeAnyDay = grant.mission == "level"
    return open.firstIndex { (mayBeAnyDay || $0.day == grant.day) && $0.text == text }
  }

  /// Returns the index of the closed level whose key is `text`.
  func closedIndex(_ text: String, of user: String) -> Int? {
    closedLevels.firstIndex { $0.text(of: user) == text }
  }

  /// Notes which levels' rewards for open days are settled already.
  mutating func settle(_ levels: [Int32]) {
    for index in open.indices {
      if let level = open[index].level {
        open[index].isSettled = levels.contains(Int32(level))
      }
    }
  }

  /// Notes a grant as one of a closed day.
  mutating func close(_ grant: StandingGrant) {
    guard let level = grant.level else { return }
    closedLevels.append(
      ClosedLevel(
        level: Int32(level), adjustments: Int32(clamping: grant.adjustments),
        isVoid: grant.isVoid, isReversed: grant.isReversed))
  }

  /// Puts a closed level among the open grants: it is reached again on an open day.
  mutating func reopen(_ index: Int, of user: String, at boundary: Instant, day: Day) {
    open.append(
      StandingGrant(closedLevels.remove(at: index), user: user, at: boundary, day: day))
  }
}

/// A level's reward that was granted for a closed day.
public struct ClosedLevel: Sendable, Equatable {
  /// The level.
  public let level: Int32
  /// How many adjustments stand behind its key.
  public internal(set) var adjustments: Int32
  /// Whether nothing is demanded under its key any more: the level may be reached again.
  public internal(set) var isVoid: Bool
  /// Whether a reversal has taken it back.
  public internal(set) var isReversed: Bool

  /// Returns the key's text for one user.
  func text(of user: String) -> String { RewardKey.level(Int(level)).text(user: user) }
}

extension StandingGrant {
  /// What stands under the key of a closed level's reward that is void: nothing, and a number of adjustments.
  public init(_ closed: ClosedLevel, user: String, at effective: Instant, day: Day) {
    let key = RewardKey.level(Int(closed.level))
    self.init(
      text: key.text(user: user), key: key, day: day, effective: effective, net: Reward(),
      streak: nil)
    adjustments = Int(closed.adjustments)
    isVoid = closed.isVoid
    isReversed = closed.isReversed
  }
}

extension [StandingGrant] {
  /// What stands for days up to `day`, without what was taken back.
  public func standingAmounts(through day: Day) -> Amounts {
    var amounts = Amounts()
    for place in indices where self[place].day <= day && !self[place].isReversed {
      amounts += self[place].net.amounts
    }
    return amounts
  }
}
