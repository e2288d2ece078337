/// A result of `doctor` about one subject, and its remedy.
public struct DoctorFinding: Equatable, Sendable {
  /// The state of a subject.
  public enum State: String, Sendable {
    /// It is as it should be.
    case well
    /// It works, but an operator should know something.
    case attention
    /// It does not work.
    case failed
  }

  /// The subject.
  public let name: String
  /// The state of the subject.
  public let state: State
  /// What was found.
  public let what: String
  /// What to do; nil when nothing needs doing.
  public let remedy: String?

  /// Creates a finding.
  public init(_ name: String, _ state: State, _ what: String, remedy: String? = nil) {
    self.name = name
    self.state = state
    self.what = what
    self.remedy = remedy
  }

  /// Returns the same finding under another name, for example that of one ledger among several.
  public func named(_ name: String) -> DoctorFinding {
    DoctorFinding(name, state, what, remedy: remedy)
  }
}
