import CivilTime
import Described
import Foundations
import LedgerStore

/// Changes to the folder by its only writer.
extension SinkFolder {
  /// Creates the folder.
  func make() throws {
    try translating {
      _ = try files.makeFolder(path)
      try files.syncFolder(FolderPath.parent(of: path))
    }
  }

  /// Writes or replaces a file, completely and on disk.
  func replace(_ file: String, with text: [UInt8]) throws {
    try translating { try files.createDurably(file, in: path, [text]) }
  }

  /// Appends all of these lines to a file, or none.
  func append(_ lines: [UInt8], to file: String, syncs: Bool) throws {
    try translating { try files.append(lines, to: file, syncs: syncs) }
  }

  /// Rewrites the dead letters, one line for each; sets unreadable lines aside.
  func rewriteDeadLetters(_ letters: DeadLetters<Int>) throws {
    let kept = Set(letters.open.values)
    let unreadable = Set(letters.unreadable)
    var (lines, damaged): ([UInt8], [UInt8]) = ([], [])
    try eachDeadLetterLine { number, line in
      if kept.contains(number) { lines += line + [UInt8(ascii: "\n")] }
      if unreadable.contains(number) { damaged += line + [UInt8(ascii: "\n")] }
    }
    if !damaged.isEmpty { try append(damaged, to: deadLetterFile + Self.damagedEnd, syncs: true) }
    try replace(deadLetterFile, with: lines)
  }

  /// Returns the last pause that was not ended, according to the log of attempts.
  func lastPause() throws -> RelayProgress.Pause? {
    var pause: RelayProgress.Pause?
    try translating {
      for (_, file) in try attemptFiles() {
        try eachLine(of: file) { line in
          guard let act = try? RelayAct(json: line), act.act != .replay else { return }
          pause = act.reason.map { .init(reason: $0, actor: act.by, since: act.at) }
        }
      }
    }
    return pause
  }

  /// Removes the attempts of days before `day`.
  func forgetAttempts(before day: Day) throws {
    try translating {
      for file in try attemptFiles() where file.day < day { try files.remove(file.path) }
    }
  }

  /// Removes the attempts that name `user`; returns how many.
  func eraseAttempts(of user: String) throws -> Int {
    try translating {
      try attemptFiles().reduce(0) { count, file in
        try count
          + files.editLines(of: file.path, containing: [Array(user.utf8)]) { line in
            (try? RecordedAttempt(json: line))?.attempt.names(user) == true ? .remove : .keep
          }
      }
    }
  }

  /// Writes the sink's progress; returns the file's length.
  func write(_ progress: RelayProgress, ledger: String) throws -> Int {
    let text = Kept(ledger: ledger, progress: progress).text
    try replace(progressFile, with: text)
    return text.count
  }

  /// Converts the attempts and dead letters of older versions to files. ``finishTakeover()`` gives those their names once the
  /// progress is written. Does nothing if a progress already exists.
  func takeOver() throws {
    try translating {
      guard try !isKept(), try sealed.isThere() else { return }
      // Left by an earlier, interrupted takeover.
      for name in try takenOver() { try files.remove("\(path)/\(name)") }
      var (day, lines): (Day?, [UInt8]) = (nil, [])
      func flush() throws {
        guard let day else { return }
        try files.append(lines, to: taken(attemptFile(day)), syncs: true)
        lines = []
      }
      do {
        try sealed.eachAttempt { attempt in
          let its = LocalDateTime(seconds: attempt.at.seconds).day
          if its != day || lines.count > 1 << 20 { try flush() }
          day = its
          lines += attempt.jsonLine
        }
      } catch let error as RelayError where error.isDamage {
        // Attempts are only a history.
      }
      try flush()
      let letters = try sealed.deadLetters().flatMap(\.jsonLine)
      if !letters.isEmpty { try replace(taken(deadLetterFile), with: letters) }
    }
  }

  /// Removes what was taken over, and gives the converted files their names.
  func finishTakeover() throws {
    try translating {
      try sealed.remove()
      for name in try takenOver() {
        let start = "\(path)/\(name.dropLast(Self.takenEnd.count))"
        try files.rename(start + Self.takenEnd, to: start + Names.linesEnd)
      }
    }
  }

  // No other file next to a chain may have a name like its segments.
  private static let takenEnd = ".taken"

  func taken(_ file: String) -> String {
    file.dropLast(Names.linesEnd.count) + Self.takenEnd
  }

  private func takenOver() throws(FileError) -> [String] {
    try files.names(in: path).filter { $0.hasSuffix(Self.takenEnd) }
  }

  /// Sets aside the unreadable progress and the dead letters, which are then sent again too.
  func quarantine() throws {
    try translating {
      let own = try files.names(in: path).filter {
        $0 == Names.progress || $0 == Names.deadLetters || SealedRelayLog.isOwn($0)
      }
      for name in own {
        try files.rename("\(path)/\(name)", to: "\(path)/\(name)" + Self.damagedEnd)
      }
    }
  }
}
