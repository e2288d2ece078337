import CivilTime
import Evidence
import Ledger
import RewardRules

/// Figures about what was committed since the service started. They name jobs, zones, missions and causes, never users.
struct CommitFigures: Sendable {
  /// The kind of an unknown user-day and the cause of its first gap.
  struct Unknown: Hashable, Sendable {
    let kind: String
    let cause: String
  }

  /// A job and the outcome of its runs.
  struct Run: Hashable, Sendable {
    let job: String
    let outcome: String
  }

  private(set) var records: [RecordType: Int] = [:]
  private(set) var grants: [String: Int] = [:]
  private(set) var given = Amounts()
  private(set) var taken = Amounts()
  private(set) var unknowns: [Unknown: Int] = [:]
  private(set) var verdicts: [String: Int] = [:]
  private(set) var streaks: [String: Int] = [:]
  private(set) var runs: [Run: Int] = [:]
  /// The delay of each job's last run, in seconds.
  private(set) var lateness: [String: Int64] = [:]
  /// When lines were committed, oldest first; older commits are thinned out.
  private var commits: [(seq: UInt64, at: Instant)] = []
  private static let commitLimit = 512

  /// Notes the last line present at the start, and its time.
  mutating func begin(at seq: UInt64, _ instant: Instant) { commits = [(seq, instant)] }

  /// Processes a batch.
  mutating func count(_ batch: [Record]) {
    for record in batch { count(record) }
    guard let last = batch.last else { return }
    commits.append((last.seq, last.at))
    if commits.count > Self.commitLimit {
      // Drop every second commit of the older half; long-past times need not be exact.
      let half = Self.commitLimit / 2
      let older = commits[..<half].enumerated().filter { $0.offset.isMultiple(of: 2) }
      commits = older.map(\.element) + commits[half...]
    }
  }

  /// Returns when the first line after `seq` was committed, or slightly later; for lines present at the start, the time of the
  /// last of them. Nil when there is none.
  func firstCommit(after seq: UInt64) -> Instant? { commits.first { $0.seq > seq }?.at }

  private mutating func count(_ record: Record) {
    records[record.body.type, default: 0] += 1
    switch record.body {
    case .grant(let grant):
      grants[grant.mission, default: 0] += 1
      add(grant.reward.amounts)
    case .reversal(let reversal): add(reversal.reward.amounts)
    case .streak(let streak): streaks[streak.what.rawValue, default: 0] += 1
    case .unknown(let unknown):
      let cause = unknown.gaps.first?.cause ?? "unknown"
      unknowns[Unknown(kind: unknown.mission.name, cause: cause), default: 0] += 1
    case .close(let close):
      verdicts["met", default: 0] += close.counts.met
      verdicts["notMet", default: 0] += close.counts.notMet
      verdicts["unknown", default: 0] += close.counts.unknown
    case .run(let run):
      runs[Run(job: run.job, outcome: run.outcome), default: 0] += 1
      lateness[run.job] = max(0, run.actual.seconds(since: run.nominal))
    default: break
    }
  }

  private mutating func add(_ amounts: Amounts) {
    given += Amounts { max(0, amounts[$0]) }
    taken += Amounts { max(0, (-amounts)[$0]) }
  }
}
