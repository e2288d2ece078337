public import Described
public import RewardRules

// The units as fields of the objects that hold them, in lines, snapshots and plans. A new unit is the last field of each.
// Grants name the units among fields of their own.

extension Amounts: DescribedObject {
  /// Reads or writes every unit.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init()
    points = try coder.field("points", value?.pointee.points)
    exp = try coder.field("exp", value?.pointee.exp)
    coins = try coder.field("coins", value?.pointee.coins)
  }

  /// Reads or writes the units that are not zero.
  init<C: Fields>(notZero coder: inout C, _ value: Given) throws(C.Failure) {
    self.init()
    points = try coder.field("points", value?.pointee.points, unless: 0)
    exp = try coder.field("exp", value?.pointee.exp, unless: 0)
    coins = try coder.field("coins", value?.pointee.coins, unless: 0)
  }
}

extension Holdings: DescribedObject {
  /// Reads or writes every unit that is held.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      points: try coder.field("points", value?.pointee.points),
      coins: try coder.field("coins", value?.pointee.coins))
  }
}
