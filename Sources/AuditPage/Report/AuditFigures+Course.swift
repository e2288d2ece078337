extension AuditFigures {
  /// The course of some users' closed days.
  package struct UserDays: Sendable, Equatable {
    /// Days that counted for the streak.
    package var counted = 0
    /// Days that neither extended nor broke the streak.
    package var held = 0
    /// Days that were excused.
    package var excused = 0
    /// Days on which a streak broke.
    package var broken = 0
    /// All users that were judged.
    package var users = 0

    /// Creates zero days.
    package init() {}

    /// Adds both.
    package static func += (left: inout UserDays, right: UserDays) {
      left.counted += right.counted
      left.held += right.held
      left.excused += right.excused
      left.broken += right.broken
      left.users += right.users
    }
  }

  /// A kind of act by hand, and its actor.
  package struct Act: Hashable, Sendable {
    /// The act in a word or two.
    package let what: String
    /// The actor named in the record.
    package let actor: String

    package init(what: String, actor: String) {
      self.what = what
      self.actor = actor
    }
  }

  /// A distribution of delays.
  package struct Delays: Sendable, Equatable {
    /// The inclusive upper ends of the ranges in seconds; the last range has none.
    package static let bounds: [Int64] = [60, 300, 900, 1_800, 3_600, 10_800, 43_200]

    /// The number of delays in each range.
    package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)

    package init() {}

    /// Counts one delay; a negative one counts as 0.
    package mutating func add(seconds: Int64) {
      counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    }

    /// Adds both.
    package static func += (left: inout Delays, right: Delays) {
      for index in left.counts.indices { left.counts[index] += right.counts[index] }
    }

    /// The number of delays.
    package var total: Int { counts.reduce(0, +) }
  }

  /// What users should have according to all records: what came from elsewhere, and what was given here.
  package var given: (elsewhere: Sum, here: Sum, all: Sum) {
    let elsewhere = elsewhere.values.reduce(into: Sum()) { $0 += $1 }
    var here = Sum()
    for day in days { for part in day.missions.values { here += part } }
    var all = elsewhere
    all += here
    return (elsewhere, here, all)
  }
}
