import CivilTime
import Described
import Digests
import Files
import Ledger
public import LedgerStore
import StrictJSON

/// The folder `relay/SINK/`: the sink's progress (`progress.json`), dead letters (`dead.jsonl`) and attempts
/// (`attempts-DAY.jsonl`, one file per UTC day).
///
/// Can be read while its writer is running. All calls block and throw ``RelayError``.
public struct SinkFolder: Sendable {
  /// The content of `progress.json`.
  struct Kept {
    static let currentForm = 1
    var form = Form(number: currentForm)
    /// The ledger's id; nil if missing, as in the oldest versions.
    var ledger: String?
    var progress: RelayProgress
  }

  let path: String
  let sealed: SealedRelayLog
  let files: any FileSystem

  /// Creates access to the folder of the sink called `name`.
  public init(_ name: String, in directory: DataDirectory) {
    files = directory.files
    path = directory.relay(sink: name)
    sealed = SealedRelayLog(name, in: directory)
  }

  /// Returns the sink's progress; an empty one if nothing was ever recorded.
  public func progress() throws -> RelayProgress { try kept()?.progress ?? RelayProgress() }

  /// Returns the id of the ledger whose events the sink receives; nil if nothing was ever recorded.
  public func ledger() throws -> String? { try kept()?.ledger }

  /// Returns the events that were given up and not requested again, in the order they were given up.
  public func deadLetters() throws -> [RecordedAttempt] {
    guard try isKept() else { return try translating { try sealed.deadLetters() } }
    // The progress is read first, so that requests made meanwhile change nothing.
    let progress = try progress()
    return Self.inOrder(try letters(after: progress) { letter, _ in letter }.open.values)
  }

  /// Returns descriptions of what is wrong with the folder's content; none if all of it is readable.
  public func flaws() throws -> [String] {
    do {
      let progress = try progress()
      let letters = try letters(after: progress) { $1 }
      if !letters.unreadable.isEmpty {
        return [
          "\(deadLetterFile): \(letters.unreadable.count) lines cannot be read; the next start of rewards serve puts them aside"
        ]
      }
      let lost = progress.deadLetters - letters.open.count
      return try lost <= 0 || !isKept()
        ? [] : ["\(lost) dead letters are missing; rewards relay replay --from --to sends them"]
    } catch let error as RelayError {
      return ["\(error)"]
    }
  }

  /// Calls `body` with every stored attempt, in the order of recording.
  public func eachAttempt(_ body: (RecordedAttempt) throws -> Void) throws {
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
  private static let progressName = "progress.json"
  private static let deadLetterName = "dead" + linesEnd
  private static let attemptsStart = "attempts-"
  private static let linesEnd = ".jsonl"
  static let damagedEnd = ".damaged"

  var progressFile: String { "\(path)/\(Self.progressName)" }
  var deadLetterFile: String { "\(path)/\(Self.deadLetterName)" }

  /// Returns the path of the file of a day's attempts.
  func attemptFile(_ day: Day) -> String { "\(path)/\(Self.attemptsStart)\(day)\(Self.linesEnd)" }

  /// Returns the files of attempts that are kept, oldest first.
  func attemptFiles() throws(FileError) -> [(day: Day, path: String)] {
    try files.namesIfPresent(in: path).compactMap { name in
      guard name.hasPrefix(Self.attemptsStart), name.hasSuffix(Self.linesEnd) else { return nil }
      let day = name.dropFirst(Self.attemptsStart.count).dropLast(Self.linesEnd.count)
      return Day(String(day)).map { ($0, "\(path)/\(name)") }
    }.sorted { $0.day < $1.day }
  }

  /// Returns what is stored about the sink; nil if nothing was ever recorded.
  func kept() throws -> Kept? {
    try translating {
      guard let text = try progressText() else {
        if let kept = try sealed.kept() { return kept }
        let isNew = try !holds(Self.deadLetterName) && attemptFiles().isEmpty
        if isNew { return nil }
        throw RelayError(damaged: progressFile, cause: "it is missing, and the rest is there")
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
        place: progressFile, cause: "it is of form \(form), and this is \(Kept.currentForm)",
        remedy: "use the version that wrote it, or a later one")
    }
  }

  /// Returns whether the sink's progress was ever written.
  func isKept() throws(FileError) -> Bool { try holds(Self.progressName) }

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
  struct Letters<Value> {
    /// The events that were given up, each with a value of the last line about it.
    var open: [EventPosition: Value] = [:]
    /// The numbers of unreadable lines.
    var unreadable: [Int] = []
    /// Whether there is exactly one line for each event, and no other.
    var isTidy = true
  }

  /// Returns the dead letters as of `progress`; changes after it, as left by a crash, are ignored. Calls `value` with each letter
  /// and the number of its line, from 0.
  func letters<Value>(
    after progress: RelayProgress, _ value: (RecordedAttempt, Int) -> Value
  ) throws -> Letters<Value> {
    var letters = Letters<Value>()
    try eachLetterLine { number, line in
      if let letter = try? RecordedAttempt(json: line) {
        let isKnown = letter.change <= progress.changes
        let position = letter.attempt.position
        let before =
          isKnown ? letters.open.updateValue(value(letter, number), forKey: position) : nil
        letters.isTidy = letters.isTidy && isKnown && before == nil
      } else if let asked = try? AskedLetters(json: line) {
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

  private func eachLetterLine(_ body: (Int, [UInt8]) throws -> Void) throws {
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

  private func eachLine(of path: String, _ body: ([UInt8]) throws -> Void) throws {
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
  private func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as FileError {
      throw RelayError(error)
    }
  }
}

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
  func tidyLetters(_ letters: Letters<Int>) throws {
    let kept = Set(letters.open.values)
    let unreadable = Set(letters.unreadable)
    var (lines, damaged): ([UInt8], [UInt8]) = ([], [])
    try eachLetterLine { number, line in
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
        try files.rename(start + Self.takenEnd, to: start + Self.linesEnd)
      }
    }
  }

  // No other file next to a chain may have a name like its segments.
  private static let takenEnd = ".taken"

  private func taken(_ file: String) -> String {
    file.dropLast(Self.linesEnd.count) + Self.takenEnd
  }

  private func takenOver() throws(FileError) -> [String] {
    try files.names(in: path).filter { $0.hasSuffix(Self.takenEnd) }
  }

  /// Sets aside the unreadable progress and the dead letters, which are then sent again too.
  func quarantine() throws {
    try translating {
      let own = try files.names(in: path).filter {
        $0 == Self.progressName || $0 == Self.deadLetterName || SealedRelayLog.isOwn($0)
      }
      for name in own {
        try files.rename("\(path)/\(name)", to: "\(path)/\(name)" + Self.damagedEnd)
      }
    }
  }
}

extension SinkFolder.Kept {
  /// The document, whose last member, `sum`, is the SHA-256 of everything before it.
  var text: [UInt8] { Self.closed(json.dropLast()) }

  /// Returns a document without its sum; throws unless it is as it was written.
  static func opened(_ text: [UInt8]) throws(JSONError) -> [UInt8] {
    let members = text.dropLast(sumLength)
    guard text.count > sumLength, closed(members) == text else {
      throw JSONError(offset: members.count, what: "its sum is another one")
    }
    return members + [UInt8(ascii: "}")]
  }

  /// Returns an object, whose `}` is missing, with its sum.
  static func closed(_ members: ArraySlice<UInt8>) -> [UInt8] {
    members + Array(",\"sum\":\"\(SHA256.digest(of: Array(members)))\"}\n".utf8)
  }
  private static let sumLength = closed([]).count
}

extension SinkFolder.Kept: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    form = try Form(&coder, value?.pointer(to: \.form))
    ledger = try coder.optional("ledger", value?.pointee.ledger)
    progress = try RelayProgress(&coder, value?.pointer(to: \.progress))
  }
}

extension SinkFolder.Kept {
  /// Identifies how to read the rest.
  struct Form: DescribedObject {
    let number: Int

    init(number: Int) { self.number = number }

    init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
      number = try coder.field("progress", value?.pointee.number)
    }
  }
}
