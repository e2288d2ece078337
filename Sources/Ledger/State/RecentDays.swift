public import CivilTime

/// A closed day whose evidence is still kept.
public struct RecentDay: Sendable, Equatable {
  /// The date.
  public let day: Day
  /// The first instant. The day ends where the next one begins, or at the boundary.
  public let start: Instant
}

/// The closed days whose evidence is still kept, oldest first; at most two.
public struct RecentDays: Sendable, Equatable {
  // Stored in place, because an array would take twice the memory for each user.
  private var earlier: RecentDay?
  private var latest: RecentDay?

  /// Creates an empty collection.
  init() {}

  /// Creates a collection of the last of `days`, which are in order.
  init(_ days: [RecentDay]) {
    for day in days { append(day) }
  }

  /// Adds the next closed day and drops all but the one before it.
  mutating func append(_ day: RecentDay) { (earlier, latest) = (latest, day) }
}

extension RecentDays: RandomAccessCollection {
  /// The index of the first day.
  public var startIndex: Int { 0 }
  /// The number of days.
  public var endIndex: Int { latest == nil ? 0 : earlier == nil ? 1 : 2 }

  /// The day at one of the ``indices``.
  public subscript(place: Int) -> RecentDay {
    guard let day = place == endIndex - 1 ? latest : earlier else {
      preconditionFailure("there is no recent day \(place)")
    }
    return day
  }
}
