public import StrictJSON

/// What a reward gives in whole numbers: a unit is a case here, a property of ``Amounts``, and a field of the records that tell it.
public enum RewardUnit: String, CaseIterable, Sendable {
  /// Shop points.
  case points
  /// Exp, boosters included.
  case exp
  /// Cheer coins.
  case coins
}

/// So much of each unit; negative where it is taken.
///
/// Sums stop at the ends of the range of 64 bits instead of running over them.
public struct Amounts: Hashable, Sendable {
  /// Shop points.
  public var points: Int64 = 0
  /// Exp, boosters included.
  public var exp: Int64 = 0
  /// Cheer coins.
  public var coins: Int64 = 0

  /// Nothing.
  public init() {}

  /// So much of each unit as `amount` says.
  public init(_ amount: (RewardUnit) -> Int64) {
    for unit in RewardUnit.allCases { self[unit] = amount(unit) }
  }

  /// How much of one unit.
  public subscript(_ unit: RewardUnit) -> Int64 {
    get {
      switch unit {
      case .points: points
      case .exp: exp
      case .coins: coins
      }
    }
    set {
      switch unit {
      case .points: points = newValue
      case .exp: exp = newValue
      case .coins: coins = newValue
      }
    }
  }

  /// Whether there is nothing of any unit.
  public var isZero: Bool { self == Amounts() }

  /// Every unit with its amount, in order: `30 points, 30 exp, 0 coins`.
  public var text: String {
    RewardUnit.allCases.map { "\(self[$0]) \($0.rawValue)" }.joined(separator: ", ")
  }

  /// The units of which there is something: `30 points, 30 exp`; nil when there is nothing.
  public var shortText: String? {
    let parts = RewardUnit.allCases.filter { self[$0] != 0 }.map { "\(self[$0]) \($0.rawValue)" }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Writes every unit, as members of the object that is open.
  public func writeMembers(to json: inout JSONWriter) {
    for unit in RewardUnit.allCases { json.member(unit.rawValue, self[unit]) }
  }

  /// Both together.
  public static func + (one: Amounts, other: Amounts) -> Amounts {
    Amounts { one[$0].addingSaturated(other[$0]) }
  }

  /// Adds `other`.
  public static func += (amounts: inout Amounts, other: Amounts) { amounts = amounts + other }

  /// What is left when `other` is taken.
  public static func - (one: Amounts, other: Amounts) -> Amounts { one + -other }

  /// The same taken instead of given.
  public static prefix func - (amounts: Amounts) -> Amounts {
    Amounts { (0 as Int64).subtractingSaturated(amounts[$0]) }
  }
}

extension Amounts: Comparable {
  /// By the first unit that differs, points before all.
  public static func < (one: Amounts, other: Amounts) -> Bool {
    guard let unit = RewardUnit.allCases.first(where: { one[$0] != other[$0] }) else {
      return false
    }
    return one[unit] < other[unit]
  }
}

extension Int64 {
  /// Returns the sum, or the end of the range that it would pass.
  public func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
