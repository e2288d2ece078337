public import CivilTime

/// A day of one user that was closed, as the ledger has it.
public struct PastDay: Sendable, Equatable {
  /// The window that was closed.
  public let window: UserWindow
  /// The line that closed it: evidence after it came late.
  public let seq: UInt64
  /// Whether somebody of the zone was held on that day; when nobody was, a day without evidence was missed.
  public let someWereHeld: Bool

  /// The date.
  public var day: Day { window.day }
}
