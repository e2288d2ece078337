/// What an operator can do.
public enum OperatorAct: String, Sendable, CaseIterable {
  case pause
  case resume
  case acceptClock
  case confirmClose
  case release
}
