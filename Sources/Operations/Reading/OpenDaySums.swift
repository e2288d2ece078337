import Engine
public import RewardRules
public import StrictJSON

/// What users would lose of days that are not closed, added up.
public struct OpenDaySums: Sendable, Equatable {
  /// Users who would lose something.
  public private(set) var users = 0
  /// How much of each unit, the gains of each user set off.
  public private(set) var amounts = Amounts()
  /// Items.
  public private(set) var items = 0
  /// Boosters that would end earlier.
  public private(set) var boosters = 0

  /// Nobody would lose anything.
  public init() {}

  /// Adds what one user would lose.
  mutating func add(_ loss: OpenDayLoss) {
    users += 1
    amounts += loss.amounts
    items += loss.items.count
    if loss.booster != nil { boosters += 1 }
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
