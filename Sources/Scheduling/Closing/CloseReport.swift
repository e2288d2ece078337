/// What closing a zone's day did.
public enum CloseReport: Sendable, Equatable {
  /// The day is closed.
  case closed(ClosedDay)
  /// The day waits for an operator.
  case waiting(DueClose, objection: String)
}

/// A day that was closed, with its figures.
public struct ClosedDay: Sendable, Equatable {
  /// The zone and the window.
  public let close: DueClose
  /// Users judged.
  public let users: Int
  /// Missions of users that stay unknown.
  public let unknown: Int
  /// Streaks that broke.
  public let broken: Int
  /// What was appended with the close.
  public let tally: Tally
}
