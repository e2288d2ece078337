public import Described

/// A unit of reward in whole numbers.
///
/// Each is a case here, a property of ``Amounts``, and a field of the records that hold it.
public enum RewardUnit: String, CaseIterable, Sendable {
  /// Shop points.
  case points
  /// Exp, boosters included.
  case exp
  /// Cheer coins.
  case coins

  /// The units that a user has. Exp is none of them: it makes levels.
  public static let held = allCases.filter { $0 != .exp }

  /// Whether most rules give none of it, so that short texts leave out a zero.
  public var isRare: Bool { self != .points && self != .exp }

  /// What it is called in help.
  public var title: String {
    switch self {
    case .points: "shop points"
    case .exp: "exp"
    case .coins: "cheer coins"
    }
  }
}

/// An amount of each unit; negative if taken away.
///
/// Sums saturate at the limits of 64 bits instead of overflowing.
public struct Amounts: Hashable, Sendable {
  /// Shop points.
  public var points: Int64 = 0
  /// Exp, boosters included.
  public var exp: Int64 = 0
  /// Cheer coins.
  public var coins: Int64 = 0

  /// The largest amount that every reader of JSON keeps exactly.
  public static let most: Int64 = 1 << 53 - 1

  /// Creates zero amounts.
  public init() {}

  /// Creates amounts of `amount(unit)` for each unit.
  public init(_ amount: (RewardUnit) -> Int64) {
    for unit in RewardUnit.allCases { self[unit] = amount(unit) }
  }

  /// The amount of one unit.
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

  /// Whether all amounts are zero.
  public var isZero: Bool { self == Amounts() }

  /// All units with their amounts, in order, e.g. `30 points, 30 exp, 0 coins`.
  public var text: String {
    RewardUnit.allCases.map { "\(self[$0]) \($0.rawValue)" }.joined(separator: ", ")
  }

  /// The units with a non-zero amount, e.g. `30 points, 30 exp`; nil if there is none.
  public var shortText: String? {
    let parts = RewardUnit.allCases.filter { self[$0] != 0 }.map { "\(self[$0]) \($0.rawValue)" }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Returns the units that are always shown with their amounts, and rare ones if there are any, e.g. `30 points, 5 coins`.
  public func text(showing units: RewardUnit...) -> String {
    RewardUnit.allCases.filter { units.contains($0) || $0.isRare && self[$0] != 0 }
      .map { "\(self[$0]) \($0.rawValue)" }.joined(separator: ", ")
  }

  /// Returns the sum of both.
  public static func + (one: Amounts, other: Amounts) -> Amounts {
    Amounts { one[$0].addingSaturated(other[$0]) }
  }

  /// Adds `other`.
  public static func += (amounts: inout Amounts, other: Amounts) { amounts = amounts + other }

  /// Returns the difference.
  public static func - (one: Amounts, other: Amounts) -> Amounts { one + -other }

  /// Returns the negated amounts.
  public static prefix func - (amounts: Amounts) -> Amounts {
    Amounts { (0 as Int64).subtractingSaturated(amounts[$0]) }
  }
}

extension Amounts: Comparable {
  /// Orders amounts by the first unit that differs, starting with points.
  public static func < (one: Amounts, other: Amounts) -> Bool {
    guard let unit = RewardUnit.allCases.first(where: { one[$0] != other[$0] }) else {
      return false
    }
    return one[unit] < other[unit]
  }
}

/// What a user has by where it came from: earned + credited - spent.
public struct Holdings: Hashable, Sendable {
  /// What grants gave, by the rules or by hand, with their adjustments and reversals.
  public var earned = Amounts()
  /// What came from elsewhere: opening balances and credits.
  public var credited = Amounts()
  /// What was spent elsewhere, 0 or more.
  public var spent = Amounts()

  /// Creates empty holdings.
  public init() {}

  /// What is left. A negative sum is a debt; of exp, the sum is all of it, whatever levels it made.
  public var sum: Amounts { earned + credited - spent }

  /// Adds the positive `amounts` to what was credited, and the negative ones to what was spent.
  public mutating func credit(_ amounts: Amounts) {
    credited += Amounts { max(0, amounts[$0]) }
    spent += Amounts { max(0, (-amounts)[$0]) }
  }

  /// The sum of `unit` and where it came from, e.g. `120 (100 earned, 50 credited, 30 spent)`; the sum alone if all was earned.
  public func text(of unit: RewardUnit) -> String {
    if credited[unit] == 0, spent[unit] == 0 { return "\(sum[unit])" }
    return "\(sum[unit]) (\(earned[unit]) earned, \(credited[unit]) credited, \(spent[unit]) spent)"
  }
}

extension Int64 {
  /// Returns the sum, saturated at the limits of the type.
  public func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the product, saturated at the limits of the type.
  public func multipliedSaturated(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }

  fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}

extension Amounts: JSONObject {
  /// Every unit.
  public static let members = JSONMembers<Self> {
    for unit in RewardUnit.allCases { $0.add(unit.rawValue) { $0[unit] } }
  }
}
