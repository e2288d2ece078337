package import CivilTime
import Configuration
import Ledger
import LedgerStore
package import Scheduling

/// Submits activity lines through the inbox, like everyone else's.
package struct Ingestion: Sendable {
  private let runtime: Runtime

  /// The result of an ingestion.
  package struct Report: Sendable {
    /// The records that were appended.
    package internal(set) var counts = AppendCounts()
    /// The number of rejected lines.
    package internal(set) var rejected = 0
    /// The first rejected lines, each with the file that holds it and the reason.
    package internal(set) var rejections: [String] = []
    /// The number of activities for closed days, which need a backfill.
    package internal(set) var lateEvidence = 0
    /// The users who could not be judged, in words.
    package internal(set) var problems: [String] = []
  }

  /// Creates an ingestion for a runtime.
  package init(_ runtime: Runtime) { self.runtime = runtime }

  /// Returns a name for a file of the inbox that no other has, in the order of arrival.
  package static func fileName(at now: Instant) -> String {
    "\(now.seconds)-\(RandomBytes.name(4)).jsonl"
  }

  /// Puts `text` into the inbox under `name` and takes everything that waits there. Only this text is the `sender`'s; without
  /// one, anyone may have submitted it.
  ///
  /// With `completes`, the inbox counts again as complete since the restored backup was made, unless a line was
  /// rejected.
  package func run(
    _ text: [UInt8], name: String, from sender: InboxIntake.Sender? = nil,
    completes: Bool = false
  ) async throws -> Report {
    try await runtime.inbox.handOver(text, as: name)
    let senders = sender.map { [name: $0] } ?? [:]
    var outcome = try await InboxSweep(runtime: runtime, senders: senders).readAll()
    var report = Report()
    report.counts = outcome.counts
    if completes, outcome.rejectedOfHand == 0 {
      try await runtime.inbox.markComplete()
      outcome.gap = nil
      // The sender's `completeThrough` lines, now that everything is there.
      _ = try await runtime.inboxIntake.add(outcome.watermarks, readAt: runtime.clock.now())
    } else if completes {
      report.problems.append(
        "the inbox is not complete yet: correct the rejected lines and submit them again")
    }
    // The reading is now complete evidence, which it was not when the lines were judged, so waiting earlier days may be
    // due.
    let named = outcome.users
    let users = await runtime.writer.read { state in named.compactMap(state.ledger.index(of:)) }
    report.counts += try await OpenDayEvaluation(runtime.writer).run(over: users.sorted())
    report.rejected = outcome.rejected
    report.rejections = outcome.rejections
    // In a shard, the line may be another's.
    if let sender, runtime.configuration.shardID == nil {
      report.problems += sender.approved.subtracting(outcome.approved).sorted().map {
        "no line that was handed in is the one requested as \($0); rewards approvals shows it"
      }
    }
    report.lateEvidence = outcome.lateEvidence
    report.problems += outcome.complaints
    return report
  }
}
