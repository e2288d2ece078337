/// A result of `doctor` about one subject, and its remedy.
package struct DoctorFinding: Equatable, Sendable {
  /// The state of a subject.
  package enum State: String, Sendable {
    /// It is as it should be.
    case well
    /// It works, but an operator should know something.
    case attention
    /// It does not work.
    case failed
  }

  /// What was examined, such as `clock`.
  package let name: String
  /// The state of the subject.
  package let state: State
  /// What was found.
  package let what: String
  /// What to do; nil when nothing needs doing.
  package let remedy: String?

  package init(_ name: String, _ state: State, _ what: String, remedy: String? = nil) {
    self.name = name
    self.state = state
    self.what = what
    self.remedy = remedy
  }

  /// Returns the same finding under another name, for example that of one ledger among several.
  package func named(_ name: String) -> DoctorFinding {
    DoctorFinding(name, state, what, remedy: remedy)
  }
}
