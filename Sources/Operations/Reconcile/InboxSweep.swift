import CivilTime
import Configuration
import Evidence
import Files
internal import Glibc
import Ledger
import LedgerStore
import Scheduling
import Threading

/// Takes in what waits in the inbox into the ledger, file by file.
struct InboxSweep: Sendable {
  let runtime: Runtime
  /// Who has handed in a file, by its name; the others are nobody's in particular.
  var senders: [String: InboxIntake.Sender] = [:]

  /// What came of all waiting files.
  struct Outcome: Sendable {
    var files = 0
    var counts = AppendCounts()
    var rejected = 0
    var lateEvidence = 0
    /// Whom the lines that were news are about.
    var users: Set<String> = []
    var problems: [String] = []
    /// Why the reading could not come to its end, and so proves nothing; nil when it did.
    var stuck: String?
    /// Why it proves nothing although it did; nil when it does.
    var gap: String?
    /// The watermarks that therefore do not count yet.
    var watermarks: [InboxLine] = []

    /// All that an operator should know.
    var complaints: [String] { problems + [stuck, gap].compactMap(\.self) }
  }

  /// Takes in all waiting files; then the inbox proves that nothing else happened before this reading began.
  ///
  /// At a file that cannot be read the reading ends; it is reported, and the reading then proves nothing.
  func readAll() async throws -> Outcome {
    try await runtime.inboxTurns.withLock { try await readInTurn() }
  }

  private func readInTurn() async throws -> Outcome {
    let began = runtime.clock.now()
    let certain = runtime.clock.certain()
    var outcome = Outcome()
    if let since = try await runtime.inbox.incompleteSince() {
      outcome.gap =
        "a backup of \(since) was put back: what the inbox was told since then may be lost, so days stay unknown; hand it in with rewards ingest FILE --after-restore"
    }
    // What a dry run reads is left for the one who writes it down.
    if runtime.store != nil { await setUnnameableAside(&outcome) }
    for name in try await waiting() {
      do {
        try await take(name, readAt: began, into: &outcome)
      } catch let error as ClockBehind {
        outcome.stuck =
          "inbox file \(name) tells of \(error.instant), and those after it wait with it: the clock may be behind; \(RuntimeError.clockRemedy)"
        break
      } catch let error as FileError where error.isOddity {
        await setAside(name, error, &outcome)
      } catch let error as FileError where error.code == ENOENT {
        // Whoever put it there has taken it back.
        continue
      } catch let error as FileError {
        // What stands in later files is complete only together with this one.
        outcome.stuck = "inbox file \(name) cannot be read, nor those after it: \(error.cause)"
        break
      }
    }
    if outcome.stuck == nil, outcome.gap == nil {
      await runtime.inboxIntake.noteEmpty(
        at: certain, requiresWatermark: runtime.configuration.inbox.requireWatermark)
    }
    return outcome
  }

  /// Takes all lines of one file in, and puts it away.
  private func take(
    _ name: String, readAt: Instant, into outcome: inout Outcome
  ) async throws {
    var rejectedFile = RejectedFile(of: name)
    var isKept = true
    var position: InboxPortion.Position? = .start
    while let start = position {
      let portion = try await runtime.inbox.read(name, from: start)
      try checkClock(against: portion, readAt: readAt)
      let rejected = try await add(portion, of: name, readAt: readAt, into: &outcome)
      if runtime.store != nil, isKept {
        isKept = await passingOver(name, &outcome) {
          try await runtime.inbox.keep(rejected, of: portion, in: &rejectedFile)
        }
      }
      position = portion.next
    }
    outcome.files += 1
    guard runtime.store != nil, isKept else { return }
    _ = await passingOver(name, &outcome) {
      try await runtime.inbox.putAway(name, rejected: rejectedFile)
    }
  }

  /// What is ahead of a clock that nobody has confirmed may well have happened: it is not rejected, and waits.
  private struct ClockBehind: Error {
    let instant: Instant
  }

  private func checkClock(against portion: InboxPortion, readAt: Instant) throws {
    guard runtime.clock.isInDoubt else { return }
    let instants = portion.lines.lazy.compactMap(\.entry.instant)
    if let ahead = instants.first(where: { $0.isAhead(of: readAt) }) {
      throw ClockBehind(instant: ahead)
    }
  }

  /// Whether `work` succeeded. The lines are in the ledger: read again, they add nothing. The files after it must not wait.
  private func passingOver(
    _ name: String, _ outcome: inout Outcome, _ work: () async throws -> Void
  ) async -> Bool {
    do {
      try await work()
      return true
    } catch {
      outcome.problems.append("inbox file \(name) was taken but cannot be put away: \(error)")
      return false
    }
  }

  private func setAside(_ name: String, _ oddity: FileError, _ outcome: inout Outcome) async {
    guard runtime.store != nil else {
      outcome.problems.append("inbox entry \(name) is not read: \(oddity.cause)")
      return
    }
    do {
      let aside = try await runtime.inbox.setAside(name, reason: oddity.cause)
      outcome.problems.append(
        "inbox entry \(name) is not read: \(oddity.cause); it was moved to rejected/\(aside)")
    } catch {
      outcome.problems.append(
        "inbox entry \(name) is not read: \(oddity.cause); it cannot be moved away: \(error)")
    }
  }

  private func setUnnameableAside(_ outcome: inout Outcome) async {
    do {
      for name in try await runtime.inbox.setUnnameableAside() {
        outcome.problems.append(
          "an inbox entry is not read: its name is not UTF-8; it was moved to rejected/\(name)")
      }
    } catch {
      outcome.problems.append(
        "inbox entries whose names are not UTF-8 are not read, and cannot be moved away: \(error)")
    }
  }

  /// The names of the files that wait. A dry run may find no data folder.
  private func waiting() async throws -> [String] {
    do {
      return try await runtime.inbox.waiting()
    } catch let error as FileError where error.code == ENOENT && runtime.store == nil {
      return []
    }
  }

  /// Takes a portion's good lines in and returns all that were rejected.
  private func add(
    _ portion: InboxPortion, of name: String, readAt: Instant, into outcome: inout Outcome
  ) async throws -> [RejectedLine] {
    var rejected = portion.rejected
    if outcome.gap != nil {
      outcome.watermarks += portion.lines.filter {
        if case .completeThrough = $0.entry { true } else { false }
      }
    }
    if !portion.lines.isEmpty {
      let result = try await runtime.inboxIntake.add(
        portion.lines, readAt: readAt, from: senders[name] ?? InboxIntake.Sender(),
        isComplete: outcome.gap == nil)
      rejected += result.rejected
      outcome.counts += AppendCounts(result.records)
      outcome.users.formUnion(result.records.lazy.compactMap(\.body.user))
      outcome.lateEvidence += result.lateFacts
      outcome.problems += result.problems
    }
    outcome.rejected += rejected.count
    return rejected
  }
}
