/// How much a log line matters; the order of the cases is the order of weight.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case debug, info, warning, error

  /// Whether `left` matters less.
  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.weight < right.weight }

  private var weight: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .warning: 2
    case .error: 3
    }
  }
}
