extension AuditFigures {
  /// The course of some users' closed days.
  public struct UserDays: Sendable, Equatable {
    /// Days that counted for the streak.
    public var counted = 0
    /// Days that neither extended nor broke the streak.
    public var held = 0
    /// Days that were excused.
    public var excused = 0
    /// Days on which a streak broke.
    public var broken = 0
    /// All users that were judged.
    public var users = 0

    /// Creates zero days.
    public init() {}

    /// Adds both.
    public static func += (left: inout UserDays, right: UserDays) {
      left.counted += right.counted
      left.held += right.held
      left.excused += right.excused
      left.broken += right.broken
      left.users += right.users
    }
  }

  /// A kind of act by hand, and its actor.
  public struct Act: Hashable, Sendable {
    /// The act in a word or two.
    public let what: String
    /// The actor named in the record.
    public let actor: String

    /// Creates an act.
    public init(what: String, actor: String) {
      self.what = what
      self.actor = actor
    }
  }

  /// A distribution of delays.
  public struct Delays: Sendable, Equatable {
    /// The inclusive upper ends of the ranges in seconds; the last range has none.
    public static let bounds: [Int64] = [60, 300, 900, 1_800, 3_600, 10_800, 43_200]

    /// The number of delays in each range.
    public private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)

    /// Creates an empty distribution.
    public init() {}

    /// Counts one delay; a negative one counts as 0.
    public mutating func add(seconds: Int64) {
      counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    }

    /// Adds both.
    public static func += (left: inout Delays, right: Delays) {
      for index in left.counts.indices { left.counts[index] += right.counts[index] }
    }

    /// The number of delays.
    public var total: Int { counts.reduce(0, +) }
  }

  /// What users should have according to all records: opening balances and everything given since.
  public var given: (opening: Sum, since: Sum, all: Sum) {
    let opening = openings.values.reduce(into: Sum()) { $0 += $1 }
    var since = Sum()
    for day in days { for part in day.missions.values { since += part } }
    var all = opening
    all += since
    return (opening, since, all)
  }
}
