import CivilTime
import Described
import Digests
import Foundations
package import Ledger
package import LedgerStore
import StrictJSON

/// The folder `relay/SINK/`: the sink's progress (`progress.json`), dead letters (`dead.jsonl`) and attempts
/// (`attempts-DAY.jsonl`, one file per UTC day).
///
/// Can be read while its writer is running. All calls block and throw ``RelayError``.
package struct SinkFolder: Sendable {
  let path: String
  let sealed: SealedRelayLog
  let files: any FileSystem

  /// Creates access to the folder of the sink called `name`.
  package init(_ name: String, in directory: DataDirectory) {
    files = directory.files
    path = directory.relay(sink: name)
    sealed = SealedRelayLog(name, in: directory)
  }

  /// Returns the sink's progress; an empty one if nothing was ever recorded.
  package func progress() throws -> RelayProgress { try kept()?.progress ?? RelayProgress() }

  /// Returns the head up to which the sink was served; nil if nothing was served, or if the folder names another ledger
  /// than `ledger`.
  package func cursor(in ledger: String?) throws -> LedgerHead? {
    guard let kept = try kept(), kept.progress.cursor.seq > 0 else { return nil }
    let isAnothers = kept.ledger != nil && ledger != nil && kept.ledger != ledger
    return isAnothers ? nil : kept.progress.cursor
  }

  /// Returns the events that were given up and not requested again, in the order they were given up.
  package func deadLetters() throws -> [RecordedAttempt] {
    guard try isKept() else { return try translating { try sealed.deadLetters() } }
    // The progress is read first, so that requests made meanwhile change nothing.
    let progress = try progress()
    return Self.inOrder(try letters(after: progress) { letter, _ in letter }.open.values)
  }

  /// Returns descriptions of what is wrong with the folder's content; none if all of it is readable.
  package func flaws() throws -> [String] {
    do {
      let progress = try progress()
      let letters = try letters(after: progress) { $1 }
      if !letters.unreadable.isEmpty {
        return [
          "\(deadLetterFile): \(letters.unreadable.count) lines cannot be read; the next start of rewards serve sets them aside"
        ]
      }
      let lost = progress.deadLetters - letters.open.count
      return try lost <= 0 || !isKept()
        ? []
        : ["\(lost) dead letters are missing; rewards relay replay --from --to sends them again"]
    } catch let error as RelayError {
      return ["\(error)"]
    }
  }

  /// Calls `body` with every stored attempt, in the order of recording.
  package func eachAttempt(_ body: (RecordedAttempt) throws -> Void) throws {
    try translating {
      guard try isKept() else { return try sealed.eachAttempt(body) }
      for (_, file) in try attemptFiles() {
        // Other lines are operators' acts, or the part of a line that a power loss left.
        try eachLine(of: file) {
          if let attempt = try? RecordedAttempt(json: $0) { try body(attempt) }
        }
      }
    }
  }

  static func inOrder(_ letters: some Sequence<RecordedAttempt>) -> [RecordedAttempt] {
    letters.sorted { ($0.at, $0.attempt.position) < ($1.at, $1.attempt.position) }
  }
}

extension SinkFolder {
  typealias Names = DataDirectory.SinkFile
  static let damagedEnd = ".damaged"

  var progressFile: String { "\(path)/\(Names.progress)" }
  var deadLetterFile: String { "\(path)/\(Names.deadLetters)" }

  /// Returns the path of the file of a day's attempts.
  func attemptFile(_ day: Day) -> String { "\(path)/\(Names.attemptsStart)\(day)\(Names.linesEnd)" }

  /// Returns the files of attempts that are kept, oldest first.
  func attemptFiles() throws(FileError) -> [(day: Day, path: String)] {
    try files.namesIfPresent(in: path).compactMap { name in
      guard name.hasPrefix(Names.attemptsStart), name.hasSuffix(Names.linesEnd) else { return nil }
      let day = name.dropFirst(Names.attemptsStart.count).dropLast(Names.linesEnd.count)
      return Day(String(day)).map { ($0, "\(path)/\(name)") }
    }.sorted { $0.day < $1.day }
  }

  /// Returns what is stored about the sink; nil if nothing was ever recorded.
  func kept() throws -> Kept? {
    try translating {
      guard let text = try progressText() else {
        if let kept = try sealed.kept() { return kept }
        let isNew = try !holds(Names.deadLetters) && attemptFiles().isEmpty
        if isNew { return nil }
        throw RelayError(
          damaged: progressFile, cause: "it is missing, but the sink's other files are there")
      }
      let form: Int
      do throws(JSONError) {
        let document = try Kept.opened(text)
        form = try Kept.Form(json: document).number
        if form == Kept.currentForm { return try Kept(json: document) }
      } catch {
        throw RelayError(damaged: progressFile, cause: error.what)
      }
      throw RelayError(
        place: progressFile,
        cause: "it has format \(form), but this version writes \(Kept.currentForm)",
        remedy: "use the version that wrote it, or a later one")
    }
  }

  /// Returns whether the sink's progress was ever written.
  func isKept() throws(FileError) -> Bool { try holds(Names.progress) }

  private func holds(_ name: String) throws(FileError) -> Bool {
    try files.namesIfPresent(in: path).contains(name)
  }

  private func progressText() throws -> [UInt8]? {
    var triesLeft = 8
    while try isKept() {
      do {
        return try files.readWhole(progressFile)
      } catch let error as FileError where error.isMissing && triesLeft > 0 {
        // In a database, an opened file may be replaced before it is read.
        triesLeft -= 1
      }
    }
    return nil
  }

  /// The content of the file of dead letters.
  struct DeadLetters<Value> {
    /// The events that were given up, each with a value of the last line about it.
    var open: [EventPosition: Value] = [:]
    /// The numbers of unreadable lines.
    var unreadable: [Int] = []
    /// Whether there is exactly one line for each event, and no other.
    var isTidy = true

    /// The same with other values.
    func mapValues<Other>(_ transform: (Value) -> Other) -> DeadLetters<Other> {
      .init(open: open.mapValues(transform), unreadable: unreadable, isTidy: isTidy)
    }
  }

  /// Returns the dead letters as of `progress`; changes after it, as left by a crash, are ignored. Calls `value` with each letter
  /// and the number of its line, from 0.
  func letters<Value>(
    after progress: RelayProgress, _ value: (RecordedAttempt, Int) -> Value
  ) throws -> DeadLetters<Value> {
    var letters = DeadLetters<Value>()
    try eachDeadLetterLine { number, line in
      if let letter = try? RecordedAttempt(json: line) {
        let isKnown = letter.change <= progress.changes
        let position = letter.attempt.position
        let before =
          isKnown ? letters.open.updateValue(value(letter, number), forKey: position) : nil
        letters.isTidy = letters.isTidy && isKnown && before == nil
      } else if let asked = try? ReplayedDeadLetters(json: line) {
        letters.isTidy = false
        guard asked.change <= progress.changes else { return }
        for position in asked.events { letters.open[position] = nil }
      } else {
        letters.isTidy = false
        letters.unreadable.append(number)
      }
    }
    return letters
  }

  func eachDeadLetterLine(_ body: (Int, [UInt8]) throws -> Void) throws {
    var number = 0
    try translating {
      for file in [taken(deadLetterFile), deadLetterFile] {
        try eachLine(of: file) {
          try body(number, $0)
          number += 1
        }
      }
    }
  }

  func eachLine(of path: String, _ body: ([UInt8]) throws -> Void) throws {
    let file: OpenFile
    do throws(FileError) {
      file = try files.open(path, for: .read)
    } catch {
      if error.isMissing { return }
      throw error
    }
    defer { files.close(file) }
    let range = try 0..<files.size(of: file)
    _ = try BlockReader(fileSystem: files).readLines(file, range) { line, _ in
      try body(Array(line))
      return .next
    }
  }

  /// Converts disk failures to the relay's errors.
  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as FileError {
      throw RelayError(error)
    }
  }
}
