public import Described
public import RewardRules

// The units as fields of the objects that hold them, in lines, snapshots and plans. A new unit is the last one of each. In
// lines it is left out when zero, because old lines lack it.

extension Amounts: DescribedObject {
  /// Reads or writes every unit.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init()
    points = try coder.field("points", value?.pointee.points)
    exp = try coder.field("exp", value?.pointee.exp)
    coins = try coder.field("coins", value?.pointee.coins)
  }

  /// Reads or writes the units that users have, of ``RewardUnit/held``.
  public init<C: Fields>(held coder: inout C, _ value: Given) throws(C.Failure) {
    self.init()
    points = try coder.field("points", value?.pointee.points)
    coins = try coder.field("coins", value?.pointee.coins)
  }

  /// Reads or writes every unit, but those that old lines lack only if they are not zero.
  init<C: Fields>(stated coder: inout C, _ value: Given) throws(C.Failure) {
    try self.init(old: &coder, value)
    try addLater(&coder, value)
  }

  /// Reads or writes the units that every line states.
  init<C: Fields>(old coder: inout C, _ value: Given) throws(C.Failure) {
    self.init()
    points = try coder.field("points", value?.pointee.points)
    exp = try coder.field("exp", value?.pointee.exp)
  }

  /// Reads or writes the units that are not zero.
  init<C: Fields>(notZero coder: inout C, _ value: Given) throws(C.Failure) {
    self.init()
    points = try coder.field("points", value?.pointee.points, unless: 0)
    exp = try coder.field("exp", value?.pointee.exp, unless: 0)
    try addLater(&coder, value)
  }

  /// Reads or writes the units that old lines lack, those that are not zero.
  mutating func addLater<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    coins = try coder.field("coins", value?.pointee.coins, unless: 0)
  }
}

extension Holdings: DescribedObject {
  /// Reads or writes the sums by where they came from.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init()
    earned = try coder.field("earned", value?.pointee.earned)
    credited = try coder.field("credited", value?.pointee.credited)
    spent = try coder.field("spent", value?.pointee.spent)
  }
}

extension Reward {
  /// Reads or writes what a grant gives, without its booster.
  // Inlined, because otherwise the lines of grants take 5 % longer, written and read.
  @inline(__always)
  init<C: Fields>(fields coder: inout C, _ value: UnsafePointer<Reward>?) throws(C.Failure) {
    self.init()
    points = try coder.field("points", value?.pointee.points)
    baseExp = try coder.field("expBase", value?.pointee.baseExp)
    multiplier = try coder.field("multiplier", value?.pointee.multiplier)
    exp = try coder.field("exp", value?.pointee.exp)
    coins = try coder.field("coins", value?.pointee.coins)
    items = try coder.field("items", value?.pointee.items)
  }
}
