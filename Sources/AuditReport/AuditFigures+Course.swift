extension AuditFigures {
  /// How the closed days of some users went.
  public struct UserDays: Sendable, Equatable {
    /// Days that counted for the streak.
    public var counted = 0
    /// Days that neither counted nor broke.
    public var held = 0
    /// Days that somebody excused.
    public var excused = 0
    /// Days on which a streak broke.
    public var broken = 0
    /// All users that were judged.
    public var users = 0

    /// No day.
    public init() {}

    /// The days of both.
    public static func += (left: inout UserDays, right: UserDays) {
      left.counted += right.counted
      left.held += right.held
      left.excused += right.excused
      left.broken += right.broken
      left.users += right.users
    }
  }

  /// A kind of act by hand, and who does it.
  public struct Act: Hashable, Sendable {
    /// What is done, in a word or two.
    public let what: String
    /// Who, as the record says.
    public let actor: String

    /// An act.
    public init(what: String, actor: String) {
      self.what = what
      self.actor = actor
    }
  }

  /// How often something took how long.
  public struct Delays: Sendable, Equatable {
    /// The upper ends of the ranges in seconds, each included; the last range has none.
    public static let bounds: [Int64] = [60, 300, 900, 1_800, 3_600, 10_800, 43_200]

    /// How often, in each range.
    public private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)

    /// Nothing yet.
    public init() {}

    /// Counts one; what took less than nothing counts as nothing.
    public mutating func add(seconds: Int64) {
      counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    }

    /// The counts of both.
    public static func += (left: inout Delays, right: Delays) {
      for index in left.counts.indices { left.counts[index] += right.counts[index] }
    }

    /// How many there are.
    public var total: Int { counts.reduce(0, +) }
  }

  /// What users should have by all that is recorded: opening balances and what was given since.
  public var given: (opening: Sum, since: Sum, all: Sum) {
    let opening = openings.values.reduce(into: Sum()) { $0 += $1 }
    var since = Sum()
    for day in days { for part in day.missions.values { since += part } }
    var all = opening
    all += since
    return (opening, since, all)
  }
}
