/// The reason why a text is not an instant.
public enum InstantTextError: Error, Hashable, Sendable, CustomStringConvertible {
  /// MySQL's zero date, `0000-00-00` or `0000-00-00 00:00:00`, which stands for null.
  case zeroDate
  /// Something else is expected at this column, counted in bytes from 1.
  case malformed(column: Int, expected: String)
  /// The date or the time of day does not exist.
  case nonexistent(column: Int, rule: String)
  /// The text has no offset, and no zone was given to read it in.
  case offsetMissing
  /// The instant lies outside the years 1 to 9999 of UTC.
  case outOfRange

  /// The place, cause and remedy on one line.
  public var description: String {
    switch self {
    case .zeroDate:
      "the zero date stands for no instant; leave the value out or write null"
    case .malformed(let column, let expected):
      "column \(column): expected \(expected); write an instant as 2026-11-20T23:59:59Z"
    case .nonexistent(let column, let rule):
      "column \(column): no such date or time; \(rule)"
    case .offsetMissing:
      "no offset from UTC; add Z or an offset as +09:00"
    case .outOfRange:
      "outside the years 1 to 9999 of UTC; write an instant within them"
    }
  }
}
