import CivilTime

/// Where a sink stands, and what of that is not on the disk. A value.
struct UnwrittenChanges {
  /// What is written together.
  struct Batch {
    /// What was tried.
    var attempts: [RecordedAttempt] = []
    /// What people did.
    var acts: [RelayAct] = []
    /// Where the sink stands; nil while that need not be written.
    var progress: RelayProgress?
    /// What was given up, and somebody has asked for since.
    var asked: Set<EventPosition> = []
    /// How many changes the progress holds that were not written.
    var changes = 0

    /// What was given up.
    var dead: [RecordedAttempt] { attempts.filter(\.attempt.isDeadLetter) }
  }

  /// While the sink is busy, the file of its progress, which grows with what waits, is written again when it has at most so many bytes
  /// for each change.
  private static let bytesPerChange = 512

  private(set) var progress: RelayProgress
  /// Without the progress.
  private var waiting = Batch()
  /// How long the file of the progress is.
  private var progressBytes = 0

  init(after progress: RelayProgress) { self.progress = progress }

  /// How many attempts are not on the disk.
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
      // Somebody had asked for it, and it was tried.
      if attempt.isDeadLetter, waiting.asked.remove(attempt.position) != nil {
        progress.deadLetters -= 1
      }
    case .paused(let reason, let actor):
      waiting.acts.append(RelayAct(at: at, act: "pause", by: actor, reason: reason))
    case .resumed(let actor): waiting.acts.append(RelayAct(at: at, act: "resume", by: actor))
    case .replay(_, let positions, let actor):
      waiting.acts.append(RelayAct(at: at, act: "replay", by: actor, events: positions.count))
      if progress.deadLetters > 0 { waiting.asked.formUnion(positions) }
    case .behind, .caughtUp, .cursor: break
    }
  }

  /// Takes out what is to be written now; without a progress, the changes and what was asked for stay.
  mutating func dequeue(isResting: Bool) -> Batch {
    var batch = Batch()
    let isDue = isProgressDue(isResting: isResting)
    swap(&batch, &waiting)
    if isDue {
      batch.progress = progress
    } else {
      swap(&batch.changes, &waiting.changes)
      swap(&batch.asked, &waiting.asked)
    }
    return batch
  }

  /// Takes back what could not be written.
  mutating func giveBack(_ batch: Batch) {
    // What was given up since stays so, whoever has asked for it before.
    waiting.asked.formUnion(batch.asked.subtracting(waiting.dead.map(\.attempt.position)))
    waiting.attempts = batch.attempts + waiting.attempts
    waiting.acts = batch.acts + waiting.acts
    waiting.changes += batch.changes
  }

  /// Notes that a progress was written, in so many bytes; `letters` are left on the disk, where somebody had asked for some.
  mutating func noteWritten(progressBytes: Int, letters: Int?) {
    self.progressBytes = progressBytes
    if let letters { progress.deadLetters = letters + waiting.dead.count }
  }
}
