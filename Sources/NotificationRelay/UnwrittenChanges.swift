import CivilTime
import Described

/// Where a sink stands, and what of that is not on the disk. A value.
struct UnwrittenChanges {
  /// What is written together.
  struct Batch {
    /// Lines for the file of dead letters.
    var letters: [UInt8] = []
    /// What was tried.
    var attempts: [RecordedAttempt] = []
    /// What people did.
    var acts: [RelayAct] = []
    /// Where the sink stands; nil while that need not be written.
    var progress: RelayProgress?
    /// How many changes the progress holds that were not written.
    var changes = 0
  }

  /// While the sink is busy, the file of its progress, which grows with what waits, is written again when it has at most so many bytes
  /// for each change.
  private static let bytesPerChange = 512
  /// So many events are named on a line: none may be longer than what is read at once.
  private static let eventsPerLine = 1_000

  private(set) var progress: RelayProgress
  /// What was given up and not asked for again.
  private var dead: Set<EventPosition>
  /// Without the progress.
  private var waiting = Batch()
  /// How long the file of the progress is.
  private var progressBytes = 0

  /// What is on the disk, where these events are given up.
  init(after progress: RelayProgress, dead: Set<EventPosition>) {
    self.progress = progress
    self.progress.deadLetters = dead.count
    self.dead = dead
  }

  /// Attempts that are not on the disk.
  var attempts: Int { waiting.attempts.count }

  /// Whether something would be written now.
  func isDue(isResting: Bool) -> Bool {
    !waiting.attempts.isEmpty || !waiting.acts.isEmpty || isProgressDue(isResting: isResting)
  }

  private func isProgressDue(isResting: Bool) -> Bool {
    waiting.changes > 0 && (isResting || waiting.changes * Self.bytesPerChange >= progressBytes)
  }

  /// Takes in what has happened.
  mutating func apply(_ change: RelayChange, at: Instant) {
    progress.apply(change, at: at)
    waiting.changes += 1
    switch change {
    case .attempt(let attempt):
      waiting.attempts.append(RecordedAttempt(at: at, attempt: attempt))
      if attempt.isDeadLetter {
        dead.insert(attempt.position)
        waiting.letters +=
          RecordedAttempt(at: at, attempt: attempt, change: progress.changes).jsonLine
      }
    case .paused(let reason, let actor):
      waiting.acts.append(RelayAct(at: at, act: .pause, by: actor, reason: reason))
    case .resumed(let actor): waiting.acts.append(RelayAct(at: at, act: .resume, by: actor))
    case .replay(_, let positions, let actor):
      waiting.acts.append(RelayAct(at: at, act: .replay, by: actor, events: positions.count))
      forget(positions.filter { dead.contains($0) })
    case .behind, .caughtUp, .cursor: break
    }
    progress.deadLetters = dead.count
  }

  private mutating func forget(_ letters: [EventPosition]) {
    dead.subtract(letters)
    for start in stride(from: 0, to: letters.count, by: Self.eventsPerLine) {
      let part = letters[start..<min(letters.count, start + Self.eventsPerLine)]
      waiting.letters += AskedLetters(change: progress.changes, events: Array(part)).jsonLine
    }
  }

  /// Takes out what is to be written now; without a progress, the changes stay.
  mutating func dequeue(isResting: Bool) -> Batch {
    var batch = Batch()
    let isDue = isProgressDue(isResting: isResting)
    swap(&batch, &waiting)
    if isDue { batch.progress = progress } else { swap(&batch.changes, &waiting.changes) }
    return batch
  }

  /// Takes back what could not be written.
  mutating func giveBack(_ batch: Batch) {
    waiting.letters = batch.letters + waiting.letters
    waiting.attempts = batch.attempts + waiting.attempts
    waiting.acts = batch.acts + waiting.acts
    waiting.changes += batch.changes
  }

  /// Notes that a progress was written, in so many bytes.
  mutating func noteWritten(progressBytes: Int) { self.progressBytes = progressBytes }
}
