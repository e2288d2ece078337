public import CivilTime

/// A closed day of which evidence is still kept.
public struct RecentDay: Sendable, Equatable {
  /// The date.
  public let day: Day
  /// The first instant; the day ends where the next one begins, or at the boundary.
  public let start: Instant
}

/// The closed days of which evidence is still kept, oldest first: the last two at most.
public struct RecentDays: Sendable, Equatable {
  // In place: a list would take twice the memory, for each user.
  private var earlier: RecentDay?
  private var latest: RecentDay?

  /// None yet.
  init() {}

  /// Creates the last of `days`, which are in order.
  init(_ days: [RecentDay]) {
    for day in days { append(day) }
  }

  /// Adds the day that was closed after these, and forgets the one before the last.
  mutating func append(_ day: RecentDay) { (earlier, latest) = (latest, day) }
}

extension RecentDays: RandomAccessCollection {
  /// The first day's place.
  public var startIndex: Int { 0 }
  /// How many days there are.
  public var endIndex: Int { latest == nil ? 0 : earlier == nil ? 1 : 2 }

  /// The day at a place that is one of ``indices``.
  public subscript(place: Int) -> RecentDay {
    guard let day = place == endIndex - 1 ? latest : earlier else {
      preconditionFailure("there is no recent day \(place)")
    }
    return day
  }
}
