public import CivilTime

/// A closed day that is not 24 hours long, or whose date does not follow the one before: by it the dates of earlier
/// instants are counted back exactly.
public struct OddDay: Sendable, Equatable {
  /// The date.
  public let day: Day
  /// The date of the closed day before.
  public let dayBefore: Day
  /// The first instant.
  public let start: Instant
  /// The first instant after it.
  public let end: Instant
}
