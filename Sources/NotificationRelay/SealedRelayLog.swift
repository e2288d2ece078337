import CivilTime
import Described
import Foundations
import Ledger
import LedgerStore
import StrictJSON

/// A sink's log as older versions kept it. Only read, until ``SinkWriter`` has taken it over.
///
/// It is a sealed log in `relay/SINK/`; earlier logs are in `relay/SINK~SECOND/`, and one about to replace it is in
/// `relay/.SINK.next/`. Each has a `cursor.json`, a cache, which is all that the oldest versions kept.
struct SealedRelayLog {
  private static let cursorName = "cursor.json"

  private let parent: String
  private let sink: String
  private let files: any FileSystem

  init(_ sink: String, in directory: DataDirectory) {
    self.sink = sink
    parent = directory.relay
    files = directory.files
  }

  private var current: String { "\(parent)/\(sink)" }
  private var next: String { "\(parent)/.\(sink).next" }

  /// Returns whether there is such a log, or only a cursor.
  func isThere() throws -> Bool {
    try folders().contains { try files.namesIfPresent(in: $0).contains(where: Self.isOwn) }
  }

  /// Returns the sink's progress; nil if there is no such log.
  func kept() throws -> SinkFolder.Kept? {
    do {
      return try keptByLog()
    } catch let error as RelayError where error.isDamage {
      // The cache may be older than the log's end: what came between is sent again.
      guard let text = try? files.readWhole("\(current)/\(Self.cursorName)"),
        let document = try? SinkFolder.Kept.opened(text),
        let progress = try? RelayProgress(json: document)
      else { throw error }
      return SinkFolder.Kept(ledger: nil, progress: progress)
    }
  }

  private func keptByLog() throws -> SinkFolder.Kept? {
    if let fold = try fold() {
      return SinkFolder.Kept(ledger: fold.ledger, progress: fold.progress)
    }
    let path = "\(current)/\(Self.cursorName)"
    guard let text = try files.readWholeIfPresent(path) else { return nil }
    do throws(JSONError) {
      var progress = RelayProgress()
      progress.cursor = try LedgerHead(json: text)
      return SinkFolder.Kept(ledger: nil, progress: progress)
    } catch {
      throw RelayError(damaged: path, cause: error.what)
    }
  }

  /// Returns the events that were given up and not requested again, in the order they were given up.
  func deadLetters() throws -> [RecordedAttempt] {
    do {
      return SinkFolder.inOrder(try fold()?.dead ?? [])
    } catch let error as RelayError where error.isDamage {
      return []
    }
  }

  /// Calls `body` with every stored attempt, in order.
  func eachAttempt(_ body: (RecordedAttempt) throws -> Void) throws {
    for folder in try logs() {
      try eachRecord(reader(of: folder)) { at, record in
        if case .change(.attempt(let attempt)) = record {
          try body(RecordedAttempt(at: at, attempt: attempt))
        }
      }
    }
  }

  /// Removes the whole log, or sets it aside if it is damaged; the sink's other files stay.
  func remove() throws {
    var isWhole = true
    if let log = try logs().last { isWhole = (try? requireIntact(log)) != nil }
    for folder in try folders() {
      for name in try files.namesIfPresent(in: folder) where Self.isOwn(name) {
        let path = "\(folder)/\(name)"
        if isWhole || folder != current {
          try files.remove(path)
        } else {
          try files.rename(path, to: path + SinkFolder.damagedEnd)
        }
      }
      if folder != current { try? files.removeFolder(folder) }
    }
  }
}

extension SealedRelayLog {
  /// Returns whether a file of this name belongs to such a log.
  static func isOwn(_ name: String) -> Bool { isSegment(name) || name == cursorName }

  private static func isSegment(_ name: String) -> Bool {
    name.hasSuffix(".jsonl") && name.dropLast(6).allSatisfy(\.isNumber)
  }

  /// Returns the folders that may contain logs, oldest first.
  private func folders() throws(FileError) -> [String] {
    let start = "\(sink)~"
    let aside = try files.namesIfPresent(in: parent).filter { $0.hasPrefix(start) }
      .compactMap { name in Int64(name.dropFirst(start.count)).map { ($0, "\(parent)/\(name)") } }
      .sorted { $0.0 < $1.0 }.map(\.1)
    return aside + [next, current]
  }

  /// Returns the folders of the logs, oldest first; the last one is the current log.
  private func logs() throws -> [String] {
    let logs = try folders().filter {
      try files.namesIfPresent(in: $0).contains(where: Self.isSegment)
    }
    // A new log counts only once it is complete and its predecessor has been moved away.
    if logs.last == next, try files.names(in: next).contains(Self.cursorName) { return logs }
    return logs.filter { $0 != next }
  }

  private func requireIntact(_ folder: String) throws {
    try translating(folder) {
      let report = try LedgerVerifier(folder: folder, fileSystem: files).verify()
      if let damage = report.damage.first, !report.isIntact {
        throw RelayError(damaged: folder, cause: "\(damage)")
      }
    }
  }

  private func reader(of folder: String) throws -> LedgerReader {
    try translating(folder) { try LedgerReader.open(folder: folder, fileSystem: files) }
  }

  private func translating<Result>(_ place: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as LedgerError {
      if case .inputOutput(let failure) = error.kind { throw RelayError(failure) }
      throw RelayError(damaged: place, cause: error.cause)
    }
  }

  /// Returns the result of folding the current log; nil if there is none.
  private func fold() throws -> (ledger: String, progress: RelayProgress, dead: [RecordedAttempt])?
  {
    guard let folder = try logs().last else { return nil }
    try requireIntact(folder)
    let reader = try reader(of: folder)
    var progress = RelayProgress()
    var base: [String] = []
    var dead: [EventPosition: RecordedAttempt] = [:]
    try eachRecord(reader) { at, record in
      switch record {
      case .base(let part, let count, let text):
        base = part == 1 ? [text] : base + [text]
        if part == count { progress = try RelayProgress(json: Array(base.joined().utf8)) }
      case .dead(let letter): dead[letter.attempt.position] = letter
      case .change(let change):
        progress.apply(change, at: at)
        if case .replay(_, let positions, _) = change {
          for position in positions { dead[position] = nil }
        } else if case .attempt(let attempt) = change, attempt.isDeadLetter {
          dead[attempt.position] = RecordedAttempt(at: at, attempt: attempt)
        }
      }
    }
    progress.deadLetters = dead.count
    progress.changes = 0
    return (reader.ledger, progress, Array(dead.values))
  }
}

extension SealedRelayLog {
  enum Record {
    case change(RelayChange)
    /// A part of the predecessor's final progress, as in `cursor.json`; numbered from 1.
    case base(part: Int, of: Int, text: String)
    /// An event that was given up in the predecessor.
    case dead(RecordedAttempt)
  }

  private func eachRecord(
    _ reader: LedgerReader, _ body: (Instant, Record) throws -> Void
  ) throws {
    try translating(current) {
      try reader.scanLines(after: 0) { seq, line in
        do {
          if let (at, record) = try Self.record(Array(line)) { try body(at, record) }
        } catch let error as JSONError {
          throw RelayError(damaged: "\(current), line \(seq)", cause: error.what)
        }
        return .next
      }
    }
  }

  /// Returns a record and when it was recorded; nil for lines of other types, such as seals.
  static func record(_ line: [UInt8]) throws(JSONError) -> (Instant, Record)? {
    let fields = Fields(node: try JSONNode.parse(line))
    let at = try fields.instant("at")
    switch try fields.text("type") {
    case "attempt": return (at, .change(.attempt(try DeliveryAttempt(json: line))))
    case "dead":
      let letter = RecordedAttempt(
        at: try fields.instant("since"), attempt: try DeliveryAttempt(json: line))
      return (at, .dead(letter))
    case "base":
      return (
        at,
        .base(
          part: try fields.number("part"), of: try fields.number("parts"),
          text: try fields.text("text"))
      )
    case "behind":
      let place = try LanePosition(json: line)
      return (at, .change(.behind(place.lane, from: place.position)))
    case "caughtUp": return (at, .change(.caughtUp(try Lane(json: line))))
    case "cursor":
      let text = "\(try fields.number("through")):\(try fields.text("hash"))"
      guard let head = LedgerHead(text) else { throw fields.missing("hash") }
      return (at, .change(.cursor(head)))
    case "paused":
      let (reason, actor) = (try fields.text("reason"), try fields.text("actor"))
      return (at, .change(.paused(reason: reason, actor: actor)))
    case "resumed": return (at, .change(.resumed(actor: try fields.text("actor"))))
    case "replay":
      let asked = try Asked(json: line)
      return (
        at, .change(.replay(user: asked.user, positions: asked.events, actor: asked.actor))
      )
    default: return nil
    }
  }

  /// Events that were requested again.
  private struct Asked: DescribedObject {
    let user: String
    let events: [EventPosition]
    let actor: String

    init<C: FieldCoder & ~Copyable>(_ coder: inout C, _ value: Given) throws(C.Failure) {
      user = try coder.field("user", value?.pointee.user)
      events = try coder.field("events", value?.pointee.events)
      actor = try coder.field("actor", value?.pointee.actor)
    }
  }

  private struct Fields {
    let node: JSONNode

    func text(_ name: String) throws(JSONError) -> String {
      guard let text = node[name]?.string else { throw missing(name) }
      return text
    }

    func number(_ name: String) throws(JSONError) -> Int {
      guard let number = node[name]?.int, number >= 0 else { throw missing(name) }
      return Int(number)
    }

    func instant(_ name: String) throws(JSONError) -> Instant {
      guard let instant = try? InstantText.parse(text(name)).instant else { throw missing(name) }
      return instant
    }

    func missing(_ name: String) -> JSONError {
      JSONError(offset: node.offset, what: "the field \"\(name)\" is missing or invalid")
    }
  }
}
