public import CivilTime
public import RewardRules

/// One user's standing grants: all of open days, and only the level rewards of closed days.
public struct StandingGrants: Sendable, Equatable {
  /// The grants for open days, in ledger order.
  public internal(set) var open: [StandingGrant] = []
  /// The level rewards of closed days, kept so that no level is rewarded twice.
  public internal(set) var closedLevels: [ClosedLevel] = []

  /// Returns the index of the open grant with the base key `text` of the line `grant`. Compares days before texts, to
  /// avoid a text search of a long past for each of its grants.
  func openIndex(_ text: String, of grant: GrantRecord) -> Int? {
    // A level may be reached again on another day.
    let mayBeAnyDay = grant.isFor(.level)
    return open.firstIndex { (mayBeAnyDay || $0.day == grant.day) && $0.text == text }
  }

  /// Returns the index of the closed level with the key `text`.
  func closedIndex(_ text: String, of user: String) -> Int? {
    closedLevels.firstIndex { $0.text(of: user) == text }
  }

  /// Marks the levels whose rewards for open days are already settled.
  mutating func settle(_ levels: [Int32]) {
    for index in open.indices {
      if let level = open[index].level {
        open[index].isSettled = levels.contains(Int32(level))
      }
    }
  }

  /// Records a grant as belonging to a closed day.
  mutating func close(_ grant: StandingGrant) {
    guard let level = grant.level else { return }
    closedLevels.append(
      ClosedLevel(
        level: Int32(level), adjustments: Int32(clamping: grant.adjustments),
        isVoid: grant.isVoid, isReversed: grant.isReversed))
  }

  /// Moves a closed level to the open grants, because it is reached again on an open day.
  mutating func reopen(_ index: Int, of user: String, at boundary: Instant, day: Day) {
    open.append(
      StandingGrant(closedLevels.remove(at: index), user: user, at: boundary, day: day))
  }
}

/// A level reward granted for a closed day.
public struct ClosedLevel: Sendable, Equatable {
  /// The level.
  public let level: Int32
  /// The number of adjustments to its key.
  public internal(set) var adjustments: Int32
  /// Whether its key is no longer required, so that the level may be reached again.
  public internal(set) var isVoid: Bool
  /// Whether a reversal has taken it back.
  public internal(set) var isReversed: Bool

  /// Returns the key's text for one user.
  func text(of user: String) -> String { RewardKey.level(Int(level)).text(user: user) }
}

extension StandingGrant {
  /// Creates the empty grant under the key of a closed level's void reward, with its number of adjustments.
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
  /// Returns the sum of standing grants for days up to `day`, without those reversed.
  public func standingAmounts(through day: Day) -> Amounts {
    var amounts = Amounts()
    for place in indices where self[place].day <= day && !self[place].isReversed {
      amounts += self[place].net.amounts
    }
    return amounts
  }
}
