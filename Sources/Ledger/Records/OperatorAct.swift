/// What an operator can do.
public enum OperatorAct: String, Sendable, CaseIterable {
  case pause
  case resume
  case acceptClock
  case confirmClose
  case release
  /// A grant by hand; stands before its record.
  case grant
}
