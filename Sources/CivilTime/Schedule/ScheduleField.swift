/// A field of a cron expression.
public enum ScheduleField: Int, Sendable, CaseIterable {
  case minute
  case hour
  case dayOfMonth
  case month
  case weekday

  /// The field's name in messages.
  public var name: String {
    switch self {
    case .minute: "minute"
    case .hour: "hour"
    case .dayOfMonth: "day of month"
    case .month: "month"
    case .weekday: "weekday"
    }
  }

  /// The numbers allowed in the field. For weekdays, 0 and 7 are both Sunday.
  var range: ClosedRange<Int> {
    switch self {
    case .minute: 0...59
    case .hour: 0...23
    case .dayOfMonth: 1...31
    case .month: 1...12
    case .weekday: 0...7
    }
  }

  /// The three-letter names in lower case; the first stands for `firstNamed`.
  var names: [String] {
    switch self {
    case .month:
      ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    case .weekday: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    case .minute, .hour, .dayOfMonth: []
    }
  }

  /// The number of the first of `names`.
  var firstNamed: Int { self == .month ? 1 : 0 }
}
