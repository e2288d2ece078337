/// A value in a log line.
public enum LogValue: Equatable, Sendable {
  case text(String)
  case number(Int)
  case flag(Bool)
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
}

extension LogValue: ExpressibleByIntegerLiteral {
  /// A number.
  public init(integerLiteral value: Int) { self = .number(value) }
}

extension LogValue: ExpressibleByBooleanLiteral {
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .flag(value) }
}
