import Engine
public import RewardRules
public import StrictJSON

/// What users would lose of days that are not closed, added up.
public struct OpenDaySums: Sendable, Equatable {
  /// Users who would lose something.
  public private(set) var users = 0
  /// How much of each unit.
  public private(set) var amounts = Amounts()
  /// Items.
  public private(set) var items = 0
  /// Boosters that would end earlier.
  public private(set) var boosters = 0

  /// Nobody would lose anything.
  public init() {}

  /// Adds what one user would lose.
  mutating func add(_ losses: OpenDayLosses) {
    if losses.losses.isEmpty { return }
    users += 1
    amounts += losses.amounts
    items += losses.items
    boosters += losses.losses.count { $0.booster != nil }
  }

  /// Writes all of it, as members of the object that is open.
  public func writeMembers(to json: inout JSONWriter) {
    json.member("users", users)
    amounts.writeMembers(to: &json)
    json.member("items", items)
    json.member("boosters", boosters)
  }

  static func += (left: inout OpenDaySums, right: OpenDaySums) {
    left.users += right.users
    left.amounts += right.amounts
    left.items += right.items
    left.boosters += right.boosters
  }
}
