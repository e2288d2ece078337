package import CivilTime
import Described
internal import Foundations
package import LedgerStore
internal import StrictJSON

/// What a sink knows about users' documents besides what stands in them: their ids, and the records last written.
///
/// The documents are the truth; this only saves a search, and notices that a record is gone. To lose it costs no more than that.
/// Lines of the file `documents` in the sink's folder, the last one of a user counts. All calls block.
package final class StoreMemory: Sendable {
  /// What is known about a user's document.
  struct Entry: Equatable, Sendable {
    /// The document's id.
    var id: String
    /// The record last written.
    var record: StoreRecord
    /// When it was written.
    var at: Instant
  }

  /// What an operator says of a document whose record is gone.
  package enum Verdict: String, CaseIterable, Sendable, Word {
    /// What was written before is still in the document.
    case written
    /// The document is a new one and holds nothing of it.
    case new

    /// The noun for verdicts.
    package static var noun: StaticString { "state of a document" }
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var isLoaded = false
    /// Users of whom nothing is to be remembered.
    var forgotten: Set<String> = []
    /// Lines that are not on disk yet.
    var unwritten: [UInt8] = []
    /// The number of lines in the file.
    var lines = 0
  }

  private let file: String
  private let verdicts: String
  private let files: any FileSystem
  private let isWriter: Bool
  private let state = Lock(State())

  /// Creates the memory of a sink, whose folder need not exist yet. Only the process that delivers is its writer.
  package init(of sink: String, in directory: DataDirectory, isWriter: Bool) {
    self.isWriter = isWriter
    let folder = directory.relay(sink: sink)
    file = "\(folder)/documents"
    verdicts = "\(folder)/verdicts"
    files = directory.files
  }

  /// Reads the file, once, and writes what could not be written before. Throws when the disk fails.
  func settle() throws {
    if !state.withLock({ $0.isLoaded }) { try load() }
    let lines = state.withLock { $0.unwritten }
    if lines.isEmpty { return }
    try files.append(lines, to: file, syncs: false)
    state.withLock { $0.unwritten.removeFirst(lines.count) }
    try compact()
  }

  /// What is known about a user's document.
  subscript(_ user: String) -> Entry? { state.withLock { $0.entries[user] } }

  /// Remembers entries, on disk with the next ``settle()``.
  func remember(_ entries: [(user: String, entry: Entry)]) {
    state.withLock { state in
      for (user, entry) in entries where !state.forgotten.contains(user) {
        state.entries[user] = entry
        state.lines += 1
        state.unwritten += DocumentLine(user: user, entry: entry).jsonLine
      }
    }
  }

  /// Removes everything about a user, also from disk.
  package func forget(_ user: String) throws {
    try settle()
    state.withLock { state in
      state.entries[user] = nil
      state.forgotten.insert(user)
    }
    for path in [file, verdicts] {
      do {
        _ = try files.editLines(of: path, containing: [Array(user.utf8)]) { line in
          (try? JSONNode.parse(line))?["user"]?.string == user ? .remove : .keep
        }
      } catch let error as FileError where error.isMissing {
        // Nothing was ever kept.
      }
    }
  }

  /// Returns what an operator has said of the user's document since `instant`, and nothing older.
  func verdict(on user: String, since instant: Instant) throws -> Verdict? {
    var found: Verdict?
    for line in try lines(of: verdicts) {
      guard let line = try? VerdictLine(json: Array(line)), line.user == user, line.at >= instant
      else { continue }
      found = line.verdict
    }
    return found
  }

  /// Records what an operator says of a user's document as it was last written, whatever the clock shows.
  package func record(_ verdict: Verdict, on user: String, at now: Instant, actor: String) throws {
    try settle()
    let at = max(now, self[user]?.at ?? now)
    let line = VerdictLine(user: user, at: at, verdict: verdict, actor: actor)
    try files.append(line.jsonLine, to: verdicts, syncs: true)
  }

  private func load() throws {
    var entries: [String: Entry] = [:]
    let lines = try lines(of: file)
    for line in lines {
      // A power loss may have left a part of a line.
      guard let line = try? DocumentLine(json: Array(line)) else { continue }
      entries[line.user] = line.entry
    }
    state.withLock { state in
      state.entries.merge(entries) { known, _ in known }
      state.isLoaded = true
      state.lines = lines.count
    }
    try compact()
  }

  /// Writes the file anew when most of its lines are outdated.
  private func compact() throws {
    let (entries, count) = state.withLock { ($0.entries, $0.lines) }
    guard isWriter, count > 2 * entries.count + Self.outdatedLines else { return }
    try files.replace(
      file,
      with: entries.sorted { $0.key < $1.key }.map {
        DocumentLine(user: $0.key, entry: $0.value).jsonLine
      })
    state.withLock { state in
      // Lines that came meanwhile are written next.
      state.lines = entries.count + state.unwritten.count { $0 == 0x0A }
    }
  }

  /// How many outdated lines are always kept.
  private static let outdatedLines = 1_000

  private func lines(of path: String) throws -> [ArraySlice<UInt8>] {
    (try files.readWholeIfPresent(path) ?? []).split(separator: 0x0A)
  }
}

/// A line of the file `documents`.
private struct DocumentLine: DescribedObject {
  let user: String
  let entry: StoreMemory.Entry

  init(user: String, entry: StoreMemory.Entry) { (self.user, self.entry) = (user, entry) }

  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    let known = value?.pointee.entry
    let at = try coder.field("at", known?.at)
    let id = try coder.field("document", known?.id)
    let record = try coder.field("record", known?.record)
    entry = StoreMemory.Entry(id: id, record: record, at: at)
  }
}

/// A line of the file `verdicts`.
private struct VerdictLine: DescribedObject {
  let user: String
  let at: Instant
  let verdict: StoreMemory.Verdict
  let actor: String

  init(user: String, at: Instant, verdict: StoreMemory.Verdict, actor: String) {
    (self.user, self.at, self.verdict, self.actor) = (user, at, verdict, actor)
  }

  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    at = try coder.field("at", value?.pointee.at)
    verdict = try coder.field("verdict", value?.pointee.verdict)
    actor = try coder.field("actor", value?.pointee.actor)
  }
}

extension StoreRecord: DescribedObject {
  /// Reads or writes the fields.
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(ledger: try coder.field("ledger", value?.pointee.ledger))
    position = try coder.field("position", value?.pointee.position)
    points = try coder.field("points", value?.pointee.points)
    exp = try coder.field("exp", value?.pointee.exp)
    logins = try coder.field("logins", value?.pointee.logins)
    cycleDay = try coder.optional("cycleDay", value?.pointee.cycleDay)
    items = try coder.field("items", value?.pointee.items)
    boosterSeconds = try coder.field("boosterSeconds", value?.pointee.boosterSeconds)
    boosterUntil = try coder.optional("boosterUntil", value?.pointee.boosterUntil)
  }
}
