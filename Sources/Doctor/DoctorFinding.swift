/// What `doctor` found out about one thing, and what to do about it.
public struct DoctorFinding: Equatable, Sendable {
  /// How well a thing is.
  public enum State: String, Sendable {
    /// As it should be.
    case well
    /// Works, but an operator should know.
    case attention
    /// Does not work.
    case failed
  }

  /// The thing.
  public let name: String
  /// How well it is.
  public let state: State
  /// What was found.
  public let what: String
  /// What to do; nil when nothing is to be done.
  public let remedy: String?

  /// A finding.
  public init(_ name: String, _ state: State, _ what: String, remedy: String? = nil) {
    self.name = name
    self.state = state
    self.what = what
    self.remedy = remedy
  }

  /// The same under another name, as of one ledger of several.
  public func named(_ name: String) -> DoctorFinding {
    DoctorFinding(name, state, what, remedy: remedy)
  }
}
