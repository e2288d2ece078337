package import Engine
package import RewardRules

/// The effects that other rules would have had on history.
package struct SimulationReport: Sendable {
  /// A user who would have more or less.
  package struct Change: Sendable, Equatable {
    /// The user's id.
    package let user: String
    /// The difference in each unit, negative for less.
    package let amounts: Amounts
    /// The level as it is.
    package let level: Int32
    /// The level as it would be.
    package let newLevel: Int32
  }

  /// The number of winners and losers that are listed; more are only counted.
  static let shown = 10

  /// The number of user-days judged by the other rules.
  package private(set) var userDays = 0
  /// The number of users with such days.
  package private(set) var users = 0
  /// The number of users who would have more or less of something.
  package private(set) var changed = 0
  /// The sums by mission under the rules in force.
  package private(set) var was: [String: UserSimulation.Sums] = [:]
  /// The sums by mission under the other rules.
  package private(set) var would: [String: UserSimulation.Sums] = [:]
  /// The number of grants that the limits hold back, now and under the other rules.
  package private(set) var heldBack = (was: 0, would: 0)
  /// The number of users who would be on a higher and on a lower level.
  package private(set) var levels = (higher: 0, lower: 0)
  /// The number of items that users would gain and lose.
  package private(set) var items = (gained: 0, lost: 0)
  /// The losses on open days once the rules are loaded, which follow at once and without waivers.
  package private(set) var openDays = OpenDaySums()
  /// The users who would gain most, by points, then exp, then coins.
  package private(set) var winners: [Change] = []
  /// The users who would lose most.
  package private(set) var losers: [Change] = []

  /// Creates an empty report.
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

  /// Adds the results for other users.
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
