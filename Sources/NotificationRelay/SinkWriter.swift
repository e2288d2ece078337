public import CivilTime
import Described
import Files
import Ledger
public import LedgerStore
import Threading

/// Keeps where a sink stands, and what was tried, in its ``SinkFolder``. Belongs to the process that holds the ledger's lock.
///
/// ``apply(_:at:)`` takes changes in and returns at once; ``write(at:isResting:mayForget:)`` brings them to the disk and blocks.
public final class SinkWriter: Sendable {
  /// What a folder is opened with.
  public struct Terms: Sendable {
    /// The ledger's id.
    public var ledger: String
    /// How many days attempts are kept.
    public var keepDays = 30

    /// Terms.
    public init(ledger: String) { self.ledger = ledger }
  }

  /// How far a clock may have been ahead without anybody's care, in seconds.
  private static let toleratedSeconds: Int64 = 300

  /// Why every event is sent again: where the sink stood could not be read. Nil where it could.
  public let doubt: RelayError?
  /// How many dead letters are missing that the sink had: the disk has lost them.
  public let lostLetters: Int
  private let folder: SinkFolder
  private let terms: Terms
  private let state: Lock<UnwrittenChanges>
  /// The last day on which attempts of days long gone were removed; held while the disk works.
  private let disk = Lock<Day?>(nil)

  /// Opens the folder of the sink called `name`, or begins one; throws ``RelayError``, also for one of another ledger.
  ///
  /// What older versions kept is taken over. Where the sink stands may be damaged: with `mayBeginAnew` that is put aside, and the sink is
  /// sent every event again, with the same ids; see ``doubt``.
  public init(
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
        place: folder.path, cause: "it belongs to the ledger \(found), and this is \(terms.ledger)",
        remedy:
          "move it away if this sink is to get every event of this ledger, or put the ledger back")
    }
    var progress = kept?.progress ?? RelayProgress()
    if doubt == nil {
      try folder.takeOver()
    } else {
      try folder.putAside()
      // What somebody has stopped stays so.
      progress.pause = try folder.lastPause()
    }
    if try !folder.isKept() { _ = try folder.write(progress, ledger: terms.ledger) }
    try folder.finishTakeover()
    let letters = try folder.letters(after: progress) { $1 }
    lostLetters = max(0, progress.deadLetters - letters.open.count)
    if !letters.isTidy { try folder.tidyLetters(letters) }
    state = Lock(UnwrittenChanges(after: progress, dead: Set(letters.open.keys)))
  }

  /// Where the sink stands, with what is not on the disk yet.
  public var progress: RelayProgress { state.withLock { $0.progress } }

  /// How many attempts are not on the disk.
  var backlog: Int { state.withLock { $0.attempts } }

  /// Whether something would be written now.
  func isDue(isResting: Bool) -> Bool { state.withLock { $0.isDue(isResting: isResting) } }

  /// Whether a clock that was ahead has recorded the last change.
  func isAhead(of now: Instant) -> Bool {
    state.withLock { $0.progress.changedAt }
      .map { $0 > now.adding(seconds: Self.toleratedSeconds) } ?? false
  }

  /// Takes in what has happened, in order.
  public func apply(_ changes: [RelayChange], at now: Instant) {
    let at = now.truncatedToMilliseconds
    state.withLock { state in
      for change in changes { state.apply(change, at: at) }
    }
  }

  /// Brings to the disk what is not there; throws ``RelayError``, and what is missing then is written the next time. Returns why attempts
  /// could not be logged: those are not.
  ///
  /// Of a sink that does not rest, what was given up and tried is always written, and where it stands from time to time: after a crash
  /// some events come again. With `mayForget` the attempts of days that are long gone are removed.
  @discardableResult
  public func write(
    at now: Instant, isResting: Bool = true, mayForget: Bool = true
  ) throws -> RelayError? {
    try disk.withLock { lastForgot in
      var batch = state.withLock { $0.dequeue(isResting: isResting) }
      do {
        // What was given up comes first: nobody else knows of it once the progress says that it is settled.
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
        // They only tell what was tried: nothing waits for them.
        return error
      }
      return nil
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
