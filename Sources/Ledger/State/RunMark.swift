public import CivilTime

/// How far a job's fires in one zone are dealt with.
public struct RunMark: Hashable, Sendable {
  /// When the last recorded fire was due.
  public let nominal: Instant
  /// The local time that names it, as `2026-11-20T00:30`: a gap may move several to one instant.
  public let nominalLocal: String

  /// A mark.
  public init(nominal: Instant, nominalLocal: String) {
    self.nominal = nominal
    self.nominalLocal = nominalLocal
  }

  /// Whether a walk that stands at `other` has passed this fire. Both times count: a clock that is set back shows a
  /// local time again, and another time zone database may put a later local time at an earlier instant.
  public func isPassed(by other: RunMark) -> Bool {
    nominal <= other.nominal && nominalLocal <= other.nominalLocal
  }
}

/// That an operator has paused a job.
public struct PauseMark: Hashable, Sendable {
  /// Since when.
  public let since: Instant
  /// Why.
  public let reason: String
  /// Who.
  public let actor: String

  /// A pause.
  public init(since: Instant, reason: String, actor: String) {
    self.since = since
    self.reason = reason
    self.actor = actor
  }
}
