package import CivilTime
import Described
import Foundations
import Ledger
package import LedgerStore

/// Records a sink's progress and attempts in its ``SinkFolder``. Belongs to the process that holds the ledger's lock.
///
/// ``apply(_:at:)`` accepts changes and returns at once; ``write(at:isResting:mayForget:)`` writes them to disk and blocks.
package final class SinkWriter: Sendable {
  /// The terms for opening a folder.
  package struct Terms: Sendable {
    /// The ledger's id.
    package var ledger: String
    /// How many days attempts are kept.
    package var keepDays = 30

    /// Creates terms.
    package init(ledger: String) { self.ledger = ledger }
  }

  /// How far ahead a clock may have been without consequences, in seconds.
  private static let toleratedSeconds: Int64 = 300

  /// Why every event is sent again: the sink's progress was unreadable. Nil if it was readable.
  package let doubt: RelayError?
  /// The number of the sink's dead letters that the disk has lost.
  package let lostLetters: Int
  private let folder: SinkFolder
  private let terms: Terms
  private let state: Lock<UnwrittenChanges>
  /// The day on which old attempts were last removed; locked while the disk works.
  private let disk = Lock<Day?>(nil)

  /// Opens or creates the folder of the sink called `name`; throws ``RelayError``, also for a folder of another ledger.
  ///
  /// Takes over what older versions stored. With `mayBeginAnew`, a damaged progress is set aside, and the sink is sent every
  /// event again, with the same ids; see ``doubt``.
  package init(
    _ name: String, in directory: DataDirectory, _ terms: Terms, mayBeginAnew: Bool = false
  ) throws {
    folder = SinkFolder(name, in: directory)
    self.terms = terms
    try folder.make()
    var kept: SinkFolder.Kept?
    do {
      kept = try folder.kept()
      doubt = nil
    } catch let error as RelayError where error.isDamage && mayBeginAnew {
      doubt = error
    }
    if let found = kept?.ledger, found != terms.ledger {
      throw RelayError(
        place: folder.path, cause: "it belongs to the ledger \(found), but this is \(terms.ledger)",
        remedy:
          "move it away to send this sink every event of this ledger, or restore the other ledger")
    }
    var progress = kept?.progress ?? RelayProgress()
    if doubt == nil {
      try folder.takeOver()
    } else {
      try folder.quarantine()
      // A sink that was paused stays paused.
      progress.pause = try folder.lastPause()
    }
    if try !folder.isKept() { _ = try folder.write(progress, ledger: terms.ledger) }
    try folder.finishTakeover()
    let letters = try folder.letters(after: progress) { (line: $1, stateOf: $0.attempt.stateOf) }
    lostLetters = max(0, progress.deadLetters - letters.open.count)
    if !letters.isTidy { try folder.rewriteDeadLetters(letters.mapValues(\.line)) }
    state = Lock(UnwrittenChanges(after: progress, dead: letters.open.mapValues(\.stateOf)))
  }

  /// The sink's progress, including what is not on disk yet.
  package var progress: RelayProgress { state.withLock { $0.progress } }

  /// The number of attempts not on disk.
  var backlog: Int { state.withLock { $0.attempts } }

  /// Returns whether something would be written now.
  func isDue(isResting: Bool) -> Bool { state.withLock { $0.isDue(isResting: isResting) } }

  /// Returns whether the last change was recorded by a clock that was ahead.
  func isAhead(of now: Instant) -> Bool {
    state.withLock { $0.progress.changedAt }
      .map { $0 > now.adding(seconds: Self.toleratedSeconds) } ?? false
  }

  /// Applies changes, in order.
  package func apply(_ changes: [RelayChange], at now: Instant) {
    let at = now.truncatedToMilliseconds
    state.withLock { state in
      for change in changes { state.apply(change, at: at) }
    }
  }

  /// Writes to disk what is not there yet; throws ``RelayError``, after which the rest is written next time. Returns why attempts
  /// could not be logged: those are dropped.
  ///
  /// While a sink is busy, its dead letters and attempts are always written, but its progress only from time to time: after a
  /// crash, some events are sent again. With `mayForget`, old attempts are removed.
  @discardableResult
  package func write(
    at now: Instant, isResting: Bool = true, mayForget: Bool = true
  ) throws -> RelayError? {
    try disk.withLock { lastForgot in
      var batch = state.withLock { $0.dequeue(isResting: isResting) }
      do {
        // Dead letters come first: once the progress counts them as settled, nothing else knows of them.
        if !batch.letters.isEmpty {
          try folder.append(batch.letters, to: folder.deadLetterFile, syncs: true)
          batch.letters = []
        }
        if let progress = batch.progress {
          let bytes = try folder.write(progress, ledger: terms.ledger)
          state.withLock { $0.noteWritten(progressBytes: bytes) }
        }
      } catch {
        state.withLock { $0.giveBack(batch) }
        throw error
      }
      do {
        let today = LocalDateTime(seconds: now.seconds).day
        try log(batch, on: today)
        if mayForget, lastForgot != today {
          try folder.forgetAttempts(before: today.adding(days: -Int32(clamping: terms.keepDays)))
          lastForgot = today
        }
      } catch let error as RelayError {
        // Attempts are only a history: nothing waits for them.
        return error
      }
      return nil
    }
  }

  /// Removes the attempts and the dead letters that name `user`, and the name from the reason of a pause; returns how many.
  /// Changes applied before are written.
  package func erase(_ user: String, at now: Instant) throws -> Int {
    try write(at: now, mayForget: false)
    let letters = try disk.withLock { _ in
      try folder.letters(after: progress) { letter, _ in letter.attempt }.open.values
    }.filter { $0.names(user) }
    apply([.erased(user, letters.map(\.position))], at: now)
    try write(at: now, mayForget: false)
    return try disk.withLock { _ in
      if !letters.isEmpty { try folder.rewriteDeadLetters(folder.letters(after: progress) { $1 }) }
      return try letters.count + folder.eraseAttempts(of: user)
    }
  }

  private func log(_ batch: UnwrittenChanges.Batch, on day: Day) throws {
    let lines = Self.lines(batch.attempts) + Self.lines(batch.acts)
    if !lines.isEmpty { try folder.append(lines, to: folder.attemptFile(day), syncs: false) }
  }

  private static func lines(_ values: [some DescribedObject]) -> [UInt8] {
    var writer = LineWriter()
    var lines: [UInt8] = []
    for value in values {
      writer.clear()
      _ = writer.object(value)
      lines += writer.bytes
      lines.append(UInt8(ascii: "\n"))
    }
    return lines
  }
}
