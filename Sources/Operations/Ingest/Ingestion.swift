import Ledger
import LedgerStore
import RewardRules
import Scheduling

/// Hands activity lines in: through the inbox, like everybody else's.
public struct Ingestion: Sendable {
  private let workplace: Workplace

  /// What became of the lines.
  public struct Report: Sendable {
    /// Records that were appended.
    public internal(set) var appended = 0
    /// Grants and adjustments among them.
    public internal(set) var grants = 0
    /// Points of these.
    public internal(set) var points: Int64 = 0
    /// Exp of these.
    public internal(set) var exp: Int64 = 0
    /// Lines that were not accepted; they stand in `inbox/rejected` with the reason.
    public internal(set) var rejected = 0
    /// Activities for closed days: a backfill's work.
    public internal(set) var lateEvidence = 0
    /// Users who could not be judged, in words.
    public internal(set) var problems: [String] = []
  }

  /// Ingestion at a workplace.
  public init(_ workplace: Workplace) { self.workplace = workplace }

  /// Puts `text` into the inbox under `name` and takes everything that waits there.
  public func run(_ text: [UInt8], name: String) async throws -> Report {
    try await workplace.inbox.handOver(text, as: name)
    let outcome = try await InboxTaker(workplace: workplace).takeAll()
    var report = Report()
    report.appended = outcome.records.count
    for case .grant(let grant) in outcome.records.map(\.body) {
      report.grants += 1
      report.points += grant.reward.points
      report.exp += grant.reward.exp
    }
    report.rejected = outcome.rejected
    report.lateEvidence = outcome.lateEvidence
    report.problems = outcome.problems
    return report
  }
}
