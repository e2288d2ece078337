import Ledger
import LedgerStore
public import Scheduling

/// Hands activity lines in: through the inbox, like everybody else's.
public struct Ingestion: Sendable {
  private let runtime: Runtime

  /// What became of the lines.
  public struct Report: Sendable {
    /// What was appended.
    public internal(set) var counts = AppendCounts()
    /// Lines that were not accepted; they stand in `inbox/rejected` with the reason.
    public internal(set) var rejected = 0
    /// Activities for closed days: a backfill's work.
    public internal(set) var lateEvidence = 0
    /// Users who could not be judged, in words.
    public internal(set) var problems: [String] = []
  }

  /// Ingestion at a runtime.
  public init(_ runtime: Runtime) { self.runtime = runtime }

  /// Puts `text` into the inbox under `name` and takes everything that waits there; `sender` hands in this text alone.
  ///
  /// With `completes` the inbox is complete again since the backup was made that was put back, unless a line was rejected.
  public func run(
    _ text: [UInt8], name: String, from sender: InboxIntake.Sender = InboxIntake.Sender(),
    completes: Bool = false
  ) async throws -> Report {
    try await runtime.inbox.handOver(text, as: name)
    var outcome = try await InboxSweep(runtime: runtime, senders: [name: sender]).readAll()
    var report = Report()
    report.counts = outcome.counts
    if completes, outcome.rejected == 0 {
      try await runtime.inbox.noteComplete()
      outcome.gap = nil
      // What the sender says of all that is there now.
      _ = try await runtime.inboxIntake.add(outcome.watermarks, readAt: runtime.clock.now())
    } else if completes {
      report.problems.append("the inbox is not complete yet: hand in what was rejected, mended")
    }
    // The reading proves what it did not when the lines were judged: what waits of the days before may be due.
    let named = outcome.users
    let users = await runtime.writer.read { state in named.compactMap(state.ledger.index(of:)) }
    report.counts += try await OpenDayEvaluation(runtime.writer).run(over: users.sorted())
    report.rejected = outcome.rejected
    report.lateEvidence = outcome.lateEvidence
    report.problems += outcome.complaints
    return report
  }
}
