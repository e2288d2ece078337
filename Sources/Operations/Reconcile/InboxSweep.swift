import CivilTime
import Configuration
import Files
internal import Glibc
import Ledger
import LedgerStore
import Scheduling
import Threading

/// Takes in what waits in the inbox into the ledger, file by file.
struct InboxSweep: Sendable {
  let runtime: Runtime

  /// What came of all waiting files.
  struct Outcome: Sendable {
    var files = 0
    var counts = AppendCounts()
    var rejected = 0
    var lateEvidence = 0
    var problems: [String] = []
  }

  /// Takes in all waiting files; then the inbox proves that nothing else happened before this reading began.
  ///
  /// At a file that cannot be read the reading ends; it is reported, and the reading then proves nothing.
  func readAll() async throws -> Outcome {
    try await runtime.inboxTurns.withLock { try await readInTurn() }
  }

  private func readInTurn() async throws -> Outcome {
    let began = runtime.clock.now()
    var outcome = Outcome()
    var isComplete = true
    for name in try await waiting() {
      let delivery: InboxFolder.Delivery
      do {
        delivery = try await runtime.inbox.read(name)
      } catch {
        // What stands in later files is complete only together with this one.
        outcome.problems.append("inbox file \(name) cannot be read, nor those after it: \(error)")
        isComplete = false
        break
      }
      let rejected = try await add(delivery, readAt: began, into: &outcome)
      // What a dry run reads is left for the one who writes it down.
      if runtime.store != nil {
        do {
          try await runtime.inbox.putAway(delivery, rejected: rejected)
        } catch {
          // Its lines are in the ledger: read again, they add nothing. The files after it must not wait for it.
          outcome.problems.append("inbox file \(name) was taken but cannot be put away: \(error)")
        }
      }
      outcome.files += 1
    }
    if isComplete {
      await runtime.inboxIntake.noteEmpty(
        at: began, requiresWatermark: runtime.configuration.inbox.requireWatermark)
    }
    return outcome
  }

  /// The names of the files that wait. A dry run may find no data folder.
  private func waiting() async throws -> [String] {
    do {
      return try await runtime.inbox.waiting()
    } catch let error as FileError where error.code == ENOENT && runtime.store == nil {
      return []
    }
  }

  /// Lines per change.
  private static let portion = 20_000

  /// Takes one delivery's good lines and returns all that were rejected.
  private func add(
    _ delivery: InboxFolder.Delivery, readAt: Instant, into outcome: inout Outcome
  ) async throws -> [RejectedLine] {
    var rejected = delivery.rejected
    var lines = delivery.lines[...]
    while !lines.isEmpty {
      let result = try await runtime.inboxIntake.add(
        Array(lines.prefix(Self.portion)), readAt: readAt)
      lines = lines.dropFirst(Self.portion)
      rejected += result.rejected
      outcome.counts += AppendCounts(result.records)
      outcome.lateEvidence += result.lateFacts
      outcome.problems += result.problems
    }
    outcome.rejected += rejected.count
    return rejected
  }
}
