import CivilTime
import Described

/// A sink's progress, and the changes that are not on disk yet. A value.
struct UnwrittenChanges {
  /// Changes that are written together.
  struct Batch {
    /// Lines for the file of dead letters.
    var letters: [UInt8] = []
    /// The attempts.
    var attempts: [RecordedAttempt] = []
    /// The operators' acts.
    var acts: [RelayAct] = []
    /// The progress; nil if it need not be written yet.
    var progress: RelayProgress?
    /// The number of unwritten changes that the progress includes.
    var changes = 0
  }

  /// The most bytes per unwritten change that the progress file may have for a busy sink's progress to be written. The file grows
  /// with the waiting events.
  private static let bytesPerChange = 512
  /// How many events one line names, so that no line is too long to be read at once.
  private static let eventsPerLine = 1_000

  private(set) var progress: RelayProgress
  /// The events and states that were given up and not requested again, each with the user whose state it is.
  private var dead: [EventPosition: String?]
  /// The changes without the progress.
  private var waiting = Batch()
  /// The length of the progress file.
  private var progressBytes = 0

  /// Creates a state without unwritten changes, in which these events and states are given up.
  init(after progress: RelayProgress, dead: [EventPosition: String?]) {
    self.progress = progress
    self.progress.deadLetters = dead.count
    self.dead = dead
  }

  /// The number of attempts not on disk.
  var attempts: Int { waiting.attempts.count }

  /// Returns whether something would be written now.
  func isDue(isResting: Bool) -> Bool {
    !waiting.attempts.isEmpty || !waiting.acts.isEmpty || isProgressDue(isResting: isResting)
  }

  private func isProgressDue(isResting: Bool) -> Bool {
    waiting.changes > 0 && (isResting || waiting.changes * Self.bytesPerChange >= progressBytes)
  }

  /// Applies a change.
  mutating func apply(_ change: RelayChange, at: Instant) {
    progress.apply(change, at: at)
    waiting.changes += 1
    switch change {
    case .attempt(let attempt):
      waiting.attempts.append(RecordedAttempt(at: at, attempt: attempt))
      if let user = attempt.stateOf, attempt.outcome != .failed {
        // A state says all that earlier ones have said.
        forget(dead.filter { $0.value == user }.map(\.key))
      }
      if attempt.isDeadLetter {
        dead[attempt.position] = .some(attempt.stateOf)
        waiting.letters +=
          RecordedAttempt(at: at, attempt: attempt, change: progress.changes).jsonLine
      }
    case .paused(let reason, let actor):
      waiting.acts.append(RelayAct(at: at, act: .pause, by: actor, reason: reason))
    case .resumed(let actor): waiting.acts.append(RelayAct(at: at, act: .resume, by: actor))
    case .replay(_, let positions, let actor):
      waiting.acts.append(RelayAct(at: at, act: .replay, by: actor, events: positions.count))
      forget(positions)
    case .erased(_, let positions): forget(positions)
    case .behind, .caughtUp, .cursor, .hindered: break
    }
    progress.deadLetters = dead.count
  }

  private mutating func forget(_ positions: [EventPosition]) {
    let letters = positions.filter { dead.removeValue(forKey: $0) != nil }
    for start in stride(from: 0, to: letters.count, by: Self.eventsPerLine) {
      let part = letters[start..<min(letters.count, start + Self.eventsPerLine)]
      waiting.letters += ReplayedDeadLetters(change: progress.changes, events: Array(part)).jsonLine
    }
  }

  /// Removes and returns what is to be written now; without a progress, the count of changes stays.
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

  /// Records that a progress of this length was written.
  mutating func noteWritten(progressBytes: Int) { self.progressBytes = progressBytes }
}
