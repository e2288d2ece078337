import CivilTime
import Configuration
import Evidence
import Foundations
internal import Glibc
import Ledger
import LedgerStore
import Scheduling

/// Moves what waits in the inbox into the ledger, file by file.
struct InboxSweep: Sendable {
  /// How many rejected lines a report names.
  private static let namedRejections = 5

  let runtime: Runtime
  /// The people who hand in files, by file name; other files are everyone's.
  var senders: [String: InboxIntake.Sender] = [:]

  /// The result for all waiting files.
  struct Outcome: Sendable {
    var files = 0
    var counts = AppendCounts()
    var rejected = 0
    /// The number of those that people handed in.
    var rejectedOfHand = 0
    /// The first rejected lines, each with its file and the reason.
    var rejections: [String] = []
    /// The ids of the requests that were approved.
    var approved: Set<String> = []
    var lateEvidence = 0
    /// The users with new facts.
    var users: Set<String> = []
    var problems: [String] = []
    /// The reason the reading stopped early and so is not complete evidence; nil when it finished.
    var stuck: String?
    /// Whether everything that may prove something by its silence was read.
    var isComplete = true
    /// The reason a finished reading is not complete evidence; nil when it is.
    var gap: String?
    /// The `completeThrough` lines that do not count yet for that reason.
    var watermarks: [InboxLine] = []

    /// Everything that an operator should know.
    var complaints: [String] { problems + [stuck, gap].compactMap(\.self) }
  }

  /// Takes in all waiting files, after which the inbox is complete evidence up to the start of this reading.
  ///
  /// An unreadable file ends the reading. It is reported, and the reading is then not complete evidence.
  func readAll() async throws -> Outcome {
    try await runtime.inboxTurns.withLock { try await readInTurn() }
  }

  private func readInTurn() async throws -> Outcome {
    let certain = runtime.clock.certain()
    var outcome = Outcome()
    if let since = try await runtime.inbox.incompleteSince() {
      outcome.gap =
        "a backup of \(since) was restored: inbox lines received since then may be missing, so days stay unknown; re-submit them with rewards ingest FILE --after-restore"
    }
    for inbox in runtime.inboxes {
      if let stuck = try await readAll(of: inbox, into: &outcome) {
        outcome.stuck = outcome.stuck ?? stuck
        // A source without activities proves nothing by its silence.
        if !inbox.source.kinds.isEmpty { outcome.isComplete = false }
      }
    }
    // Unread, they may hold what a day seems to lack.
    if runtime.store != nil,
      let stray = try await runtime.inbox.waitingElsewhere(
        besides: runtime.inboxes.compactMap(\.source.name)
      ).first
    {
      outcome.isComplete = false
      outcome.stuck =
        outcome.stuck
        ?? "files wait in \(stray), but no such source is configured, so the inbox is not complete: name it in sources, or move the files"
    }
    if outcome.isComplete, outcome.gap == nil {
      let needsWord = runtime.configuration.inbox.requireWatermark
      if let through = needsWord ? await saidThrough(by: certain, &outcome) : certain {
        await runtime.inboxIntake.markComplete(through: through)
      }
    }
    return outcome
  }

  /// Returns the instant up to which every source with activities has handed in all of them; nil where none is configured, or
  /// one has not said so yet.
  private func saidThrough(by now: Instant, _ outcome: inout Outcome) async -> Instant? {
    var through: Instant?
    for inbox in runtime.inboxes where inbox.source.name != nil && !inbox.source.kinds.isEmpty {
      do {
        guard let said = try await inbox.completeThrough(by: now) else { return nil }
        through = min(through ?? said, said)
      } catch {
        outcome.stuck = outcome.stuck ?? "how far a source is complete cannot be read: \(error)"
        return nil
      }
    }
    return through
  }

  /// Takes in the waiting files of one source; returns why it stopped early, nil if it finished.
  private func readAll(of inbox: InboxFolder, into outcome: inout Outcome) async throws -> String? {
    let names: [String]
    do {
      names = try await waiting(in: inbox)
    } catch let error as FileError where inbox.source.name != nil {
      return "the inbox of a source cannot be read: \(error)"
    }
    let source = inbox.source
    if let name = source.name, !names.isEmpty,
      await !runtime.writer.read({ $0.ledger.allows(source) })
    {
      return
        "files of the source \(name) wait, because the ledger does not allow yet what \"sources\" says: rewards approvals says who may approve it"
    }
    // A dry run leaves what it reads for the process that records it.
    if runtime.store != nil { await setUnnameableAside(of: inbox, &outcome) }
    for name in names {
      let title = inbox.title(of: name)
      do {
        try await ingest(name, of: inbox, into: &outcome)
      } catch let error as ClockBehind {
        return
          "inbox file \(title) has a line from \(error.instant), which is still to come, so it and the files after it wait: the clock may be behind; \(RuntimeError.clockRemedy)"
      } catch let error as FileError where error.isOddity {
        await setAside(name, of: inbox, error, &outcome)
      } catch let error as FileError where error.code == ENOENT {
        // The sender has removed it again.
        continue
      } catch let error as FileError {
        // Later files are complete evidence only together with this one.
        return
          "inbox file \(title) cannot be read, so the files after it wait too: \(error.cause)"
      }
    }
    return nil
  }

  /// Takes in all lines of one file, and puts it away.
  private func ingest(
    _ name: String, of inbox: InboxFolder, into outcome: inout Outcome
  ) async throws {
    var rejectedFile = RejectedFile(of: name)
    var isKept = true
    // The instant up to which the source says that it is complete.
    var said: Instant?
    var position: InboxPortion.Position? = .start
    while let start = position {
      let portion = try await inbox.read(name, from: start)
      // After the lines, not before: if the process was suspended meanwhile, what happened since is not ahead of the
      // clock.
      let readAt = runtime.clock.now()
      try checkClock(against: portion, readAt: readAt)
      let (rejected, through) = try await add(
        portion, of: name, in: inbox, readAt: readAt, into: &outcome)
      if let through { said = max(said ?? through, through) }
      if runtime.store != nil, isKept {
        isKept = await passingOver(inbox.title(of: name), &outcome) {
          try await inbox.appendRejected(rejected, of: portion, in: &rejectedFile)
        }
      }
      position = portion.next
    }
    outcome.files += 1
    guard runtime.store != nil, isKept else { return }
    _ = await passingOver(inbox.title(of: name), &outcome) {
      if inbox.source.name != nil, let said {
        try await inbox.markComplete(through: said, by: runtime.clock.certain())
      }
      try await inbox.archive(name, rejected: rejectedFile)
    }
  }

  /// Thrown for a line ahead of an unconfirmed clock. It may well have happened, so it waits instead of being rejected.
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

  /// Runs `work` and returns whether it succeeded.
  ///
  /// The lines are already in the ledger, so reading them again adds nothing, and the files after it must not wait.
  private func passingOver(
    _ name: String, _ outcome: inout Outcome, _ work: () async throws -> Void
  ) async -> Bool {
    do {
      try await work()
      return true
    } catch {
      outcome.problems.append("inbox file \(name) was read but cannot be put away: \(error)")
      return false
    }
  }

  private func setAside(
    _ name: String, of inbox: InboxFolder, _ oddity: FileError, _ outcome: inout Outcome
  ) async {
    let title = inbox.title(of: name)
    guard runtime.store != nil else {
      outcome.problems.append("inbox entry \(title) was not read: \(oddity.cause)")
      return
    }
    do {
      let aside = try await inbox.setAside(name, reason: oddity.cause)
      outcome.problems.append(
        "inbox entry \(title) was not read: \(oddity.cause); it was moved to rejected/\(aside)")
    } catch {
      outcome.problems.append(
        "inbox entry \(title) was not read: \(oddity.cause); it cannot be moved away: \(error)")
    }
  }

  private func setUnnameableAside(of inbox: InboxFolder, _ outcome: inout Outcome) async {
    do {
      for name in try await inbox.setUnnameableAside() {
        outcome.problems.append(
          "an inbox entry was not read: its name is not UTF-8; it was moved to rejected/\(name)")
      }
    } catch {
      outcome.problems.append(
        "inbox entries whose names are not UTF-8 were not read, and cannot be moved away: \(error)")
    }
  }

  /// Returns what is recorded of a person's lines. The name of a file that a command has made says nothing.
  private func delivery(of portion: InboxPortion, _ name: String) -> InboxIntake.Delivery? {
    portion.numbers.map {
      .init(file: senders[name] == nil ? name : "ingest", lines: $0, sha256: portion.sha256)
    }
  }

  /// Returns the names of the waiting files. A dry run may find no data folder.
  private func waiting(in inbox: InboxFolder) async throws -> [String] {
    do {
      return try await inbox.waiting()
    } catch let error as FileError where error.code == ENOENT && runtime.store == nil {
      return []
    }
  }

  /// Takes in a portion's valid lines and returns all that were rejected, and how far the source says that it is complete.
  private func add(
    _ portion: InboxPortion, of name: String, in inbox: InboxFolder, readAt: Instant,
    into outcome: inout Outcome
  ) async throws -> (rejected: [RejectedLine], completeThrough: Instant?) {
    var rejected = portion.rejected
    var completeThrough: Instant?
    let isHand = inbox.source.name == nil
    if outcome.gap != nil, isHand {
      outcome.watermarks += portion.lines.filter {
        if case .completeThrough = $0.entry { true } else { false }
      }
    }
    if !portion.lines.isEmpty {
      let result = try await runtime.inboxIntake.add(
        portion.lines, readAt: readAt,
        from: isHand ? senders[name] ?? InboxIntake.Sender(inbox.source) : .init(inbox.source),
        in: isHand ? delivery(of: portion, name) : nil, isComplete: outcome.gap == nil)
      completeThrough = result.completeThrough
      rejected += result.rejected
      outcome.counts += AppendCounts(result.records)
      outcome.users.formUnion(result.records.lazy.compactMap(\.body.user))
      outcome.lateEvidence += result.lateFacts
      outcome.approved.formUnion(result.approved)
      outcome.problems += result.problems
    }
    outcome.rejected += rejected.count
    if isHand { outcome.rejectedOfHand += rejected.count }
    for line in rejected.sorted(by: { $0.number < $1.number })
    where outcome.rejections.count < Self.namedRejections {
      outcome.rejections.append("\(inbox.rejected)/\(name), line \(line.number): \(line.reason)")
    }
    return (rejected, completeThrough)
  }
}
