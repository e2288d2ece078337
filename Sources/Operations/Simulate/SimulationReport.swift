public import Engine
public import RewardRules

/// What other rules would have made of history.
public struct SimulationReport: Sendable {
  /// Somebody who would have more, or less.
  public struct Change: Sendable, Equatable {
    /// The user's id.
    public let user: String
    /// How much more of each unit, negative for less.
    public let amounts: Amounts
    /// The level, as it is and as it would be.
    public let level: Int32
    /// The level as it would be.
    public let newLevel: Int32
  }

  /// More winners and losers than this are only counted.
  static let shown = 10

  /// User-days that were judged by the other rules.
  public private(set) var userDays = 0
  /// Users who have such days.
  public private(set) var users = 0
  /// Users who would have more of something or less of something.
  public private(set) var changed = 0
  /// By mission, as the rules in force have it.
  public private(set) var was: [String: UserSimulation.Sums] = [:]
  /// By mission, as it would be.
  public private(set) var would: [String: UserSimulation.Sums] = [:]
  /// Grants that the limits hold back, as it is and as it would be.
  public private(set) var heldBack = (was: 0, would: 0)
  /// Users who would be on a higher level, and on a lower one.
  public private(set) var levels = (higher: 0, lower: 0)
  /// Items that users would have besides, and would not have.
  public private(set) var items = (gained: 0, lost: 0)
  /// What days that are not closed would lose once the rules are loaded: they follow at once and without waivers.
  public private(set) var openDays = OpenDaySums()
  /// Those who would gain most, by points, then exp, then coins.
  public private(set) var winners: [Change] = []
  /// Those who would lose most.
  public private(set) var losers: [Change] = []

  /// Nobody was judged yet.
  init() {}

  /// Adds a user.
  mutating func add(_ user: UserSimulation) {
    if let loss = user.openDayLoss { openDays.add(loss) }
    guard user.days > 0 else { return }
    users += 1
    userDays += user.days
    for (mission, sums) in user.was.missions { was[mission, default: .init()].add(sums) }
    for (mission, sums) in user.would.missions { would[mission, default: .init()].add(sums) }
    heldBack.was += user.was.heldBack
    heldBack.would += user.would.heldBack
    if user.would.level > user.was.level { levels.higher += 1 }
    if user.would.level < user.was.level { levels.lower += 1 }
    items.gained += user.would.items.subtracting(user.was.items).count
    items.lost += user.was.items.subtracting(user.would.items).count
    let (before, after) = (user.was.sums, user.would.sums)
    if before == after, user.was.items == user.would.items { return }
    changed += 1
    let change = Change(
      user: user.user, amounts: after.amounts - before.amounts, level: user.was.level,
      newLevel: user.would.level)
    add(change)
  }

  /// Adds what was found about other users.
  mutating func merge(_ other: SimulationReport) {
    userDays += other.userDays
    users += other.users
    changed += other.changed
    for (mission, sums) in other.was { was[mission, default: .init()].add(sums) }
    for (mission, sums) in other.would { would[mission, default: .init()].add(sums) }
    heldBack.was += other.heldBack.was
    heldBack.would += other.heldBack.would
    levels.higher += other.levels.higher
    levels.lower += other.levels.lower
    items.gained += other.items.gained
    items.lost += other.items.lost
    openDays += other.openDays
    for change in other.winners + other.losers { add(change) }
  }

  private mutating func add(_ change: Change) {
    if change.amounts > Amounts() {
      Self.insert(change, into: &winners) { ($0.amounts, $1.user) > ($1.amounts, $0.user) }
    } else if change.amounts < Amounts() {
      Self.insert(change, into: &losers) { ($0.amounts, $0.user) < ($1.amounts, $1.user) }
    }
  }

  private static func insert(
    _ change: Change, into list: inout [Change], before isBefore: (Change, Change) -> Bool
  ) {
    let place = list.firstIndex { isBefore(change, $0) } ?? list.count
    if place >= shown { return }
    list.insert(change, at: place)
    if list.count > shown { list.removeLast() }
  }
}
