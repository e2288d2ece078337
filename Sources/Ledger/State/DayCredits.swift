public import CivilTime
public import Described
public import RewardRules

/// What credits have given on one day, by source and by user. The day is that of the records' own time, in UTC.
public struct DayCredits: Sendable, Equatable {
  /// Sums by the names of a credit's parts.
  public typealias Sums = [String: Int64]

  /// The day of the last credit.
  private var day = Day(number: 0)
  /// The sums of that day, by source, and by source and user.
  private var sums: [String: Sums] = [:]

  /// Creates sums of zero.
  public init() {}

  /// Adds a credit recorded at `at`; the first that gives something on a new day begins at zero.
  public mutating func add(_ record: CreditRecord, at: Instant) {
    let given = record.credit.given
    if given.isEmpty { return }
    let today = Self.day(of: at)
    if today != day { (day, sums) = (today, [:]) }
    for place in [Self.place(record.sender), Self.place(record.sender, record.user)] {
      sums[place] = (sums[place] ?? [:]).adding(given)
    }
  }

  /// Returns what the credits of a source, nil for the hand, have given on the day of `at`; with a user, only to that user.
  public func given(by sender: String?, to user: String? = nil, at: Instant) -> Sums {
    Self.day(of: at) == day ? sums[Self.place(sender, user)] ?? [:] : [:]
  }

  /// Returns the day whose sums a credit recorded at `at` is added to.
  public static func day(of at: Instant) -> Day {
    Day(number: Int32(clamping: at.seconds / 86_400))
  }

  // A space, which neither a source nor a user has in its name.
  private static func place(_ sender: String?, _ user: String? = nil) -> String {
    (sender ?? "") + (user.map { " \($0)" } ?? "")
  }
}

extension DayCredits: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    day = try coder.field("day", value?.pointee.day)
    sums = try coder.field("sums", value?.pointee.sums)
  }
}

extension DayCredits.Sums {
  /// The amounts of the units among the parts.
  public var amounts: Amounts { Amounts { self[$0.rawValue] ?? 0 } }

  /// Returns the sums of both; a sum beyond all numbers is the largest one.
  public func adding(_ other: Self) -> Self {
    merging(other) { one, other in
      let (sum, isBeyond) = one.addingReportingOverflow(other)
      return isBeyond ? .max : sum
    }
  }
}
