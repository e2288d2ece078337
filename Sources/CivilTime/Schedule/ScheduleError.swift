/// Why an expression is not a schedule: place, cause and remedy.
public struct ScheduleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The expression.
  public let expression: String
  /// The field at fault, nil when it is the expression as a whole.
  public let field: ScheduleField?
  /// Where in the expression, in bytes counted from 1; nil when it is all of it.
  public let columns: ClosedRange<Int>?
  /// What is wrong.
  public let cause: String
  /// What to write instead.
  public let remedy: String

  /// All of it on one line.
  public var description: String {
    var place = field.map { ", \($0.name)" } ?? ""
    if let columns {
      place +=
        columns.count == 1
        ? ", column \(columns.lowerBound)" : ", columns \(columns.lowerBound)–\(columns.upperBound)"
    }
    return "schedule \"\(expression)\"\(place): \(cause); \(remedy)"
  }
}
