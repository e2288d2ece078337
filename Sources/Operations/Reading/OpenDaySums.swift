package import Described
import Engine
package import RewardRules

/// The sums of what users would lose on open days.
package struct OpenDaySums: Sendable, Equatable {
  /// The number of users who would lose something.
  package private(set) var users = 0
  /// The amount of each unit, net of each user's gains.
  package private(set) var amounts = Amounts()
  /// The number of items.
  package private(set) var items = 0
  /// The number of boosters that would end earlier.
  package private(set) var boosters = 0

  /// Creates zero sums.
  package init() {}

  /// Adds the losses of one user.
  mutating func add(_ loss: OpenDayLoss) {
    users += 1
    amounts += loss.amounts
    items += loss.items.count
    if loss.booster != nil { boosters += 1 }
  }

  static func += (left: inout OpenDaySums, right: OpenDaySums) {
    left.users += right.users
    left.amounts += right.amounts
    left.items += right.items
    left.boosters += right.boosters
  }
}

extension OpenDaySums: JSONObject {
  /// All sums.
  package static let members = JSONMembers<Self> {
    $0.add("users", \.users)
    $0.include(\.amounts)
    $0.add("items", \.items)
    $0.add("boosters", \.boosters)
  }
}
