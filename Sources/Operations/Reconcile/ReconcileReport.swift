import Ledger
import RewardRules
public import Scheduling

/// What a reconciliation did.
public struct ReconcileReport: Sendable {
  /// The days that were closed, in order.
  public internal(set) var closed: [ClosedDay] = []
  /// The days that wait for an operator, with the reason.
  public internal(set) var waiting: [(close: DueClose, objection: String)] = []
  /// Grants and adjustments that were written.
  public internal(set) var grants = 0
  /// Their points.
  public internal(set) var points: Int64 = 0
  /// Their exp.
  public internal(set) var exp: Int64 = 0
  /// Missions of closed days that stay unknown.
  public internal(set) var unknown = 0
  /// Records that were refused: bad evidence, lying answers, held-back grants.
  public internal(set) var refused = 0
  /// Records that were appended, the run's own not counted.
  public internal(set) var appended = 0
  /// Users that were looked at.
  public internal(set) var users = 0
  /// Looks that could not see, by cause.
  public internal(set) var failedLooks: [String: Int] = [:]
  /// Activities that came for closed days: a backfill's work.
  public internal(set) var lateEvidence = 0
  /// Lines of the inbox that were not accepted.
  public internal(set) var rejectedLines = 0
  /// Users and files that could not be dealt with, in words.
  public internal(set) var problems: [String] = []
  /// With `--prove`: how many records a second run would append; nil without.
  public internal(set) var secondRun: Int?

  /// Whether somebody should look at this.
  public var needsAttention: Bool {
    unknown > 0 || refused > 0 || rejectedLines > 0 || lateEvidence > 0 || !waiting.isEmpty
      || !problems.isEmpty || (secondRun ?? 0) > 0
  }

  mutating func add(_ records: [Record]) {
    appended += records.count
    for record in records {
      switch record.body {
      case .grant(let grant):
        grants += 1
        points += grant.reward.points
        exp += grant.reward.exp
      case .refused: refused += 1
      default: break
      }
    }
  }

  mutating func add(_ day: ClosedDay) {
    closed.append(day)
    unknown += day.unknown
    grants += day.grants
    points += day.points
    exp += day.exp
    appended += day.appended
  }
}
