public import CivilTime

/// A job ran, or was skipped.
public struct RunRecord: Sendable, Equatable {
  /// The job's name.
  public var job: String
  /// The zone for which it was due.
  public var zone: String
  /// When it was due.
  public var nominal: Instant
  /// The local time that names the fire, as `2026-11-20T00:30`.
  public var nominalLocal: String
  /// When it began.
  public var actual: Instant
  /// `done`, `attention`, `failed`, `skipped`, `missed`, `timeout`.
  public var outcome: String
  /// Why it was skipped or failed.
  public var reason: String?
  /// What it did, by name.
  public var counts: [RunCount]

  /// The record with these fields.
  public init(
    job: String, zone: String, nominal: Instant, nominalLocal: String, actual: Instant,
    outcome: String, reason: String? = nil, counts: [RunCount] = []
  ) {
    self.job = job
    self.zone = zone
    self.nominal = nominal
    self.nominalLocal = nominalLocal
    self.actual = actual
    self.outcome = outcome
    self.reason = reason
    self.counts = counts
  }
}
