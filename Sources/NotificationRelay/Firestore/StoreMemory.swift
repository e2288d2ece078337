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
    /// Lines that are not on disk yet.
    var unwritten: [UInt8] = []
  }

  private static let limitBytes = 4 << 30

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
  }

  /// What is known about a user's document.
  subscript(_ user: String) -> Entry? { state.withLock { $0.entries[user] } }

  /// Remembers entries, on disk with the next ``settle()``.
  func remember(_ entries: [(user: String, entry: Entry)]) {
    state.withLock { state in
      for (user, entry) in entries {
        state.entries[user] = entry
        state.unwritten += Self.line(user, entry)
      }
    }
  }

  /// Removes everything about a user, also from disk.
  func forget(_ user: String) throws {
    try settle()
    state.withLock { $0.entries[user] = nil }
    for path in [file, verdicts] {
      let lines = try lines(of: path)
      let kept = lines.filter { (try? JSONNode.parse(Array($0)))?["user"]?.string != user }
      if kept.count < lines.count { try files.replace(path, with: kept.map { $0 + [0x0A] }) }
    }
  }

  /// Returns what an operator has said of the user's document since `instant`, and nothing older.
  func verdict(on user: String, since instant: Instant) throws -> Verdict? {
    var found: Verdict?
    for line in try lines(of: verdicts) {
      guard let node = try? JSONNode.parse(Array(line)), node["user"]?.string == user,
        let at = (node["at"]?.string).flatMap({ try? InstantText.parse($0).instant }), at >= instant
      else { continue }
      found = node["verdict"]?.string.flatMap(Verdict.init)
    }
    return found
  }

  /// Records what an operator says of a user's document.
  package func record(_ verdict: Verdict, on user: String, at now: Instant, actor: String) throws {
    var json = JSONWriter()
    json.beginObject()
    json.member("user", user)
    json.member("at", now.description)
    json.member("verdict", verdict.rawValue)
    json.member("actor", actor)
    json.endObject()
    try files.append(json.bytes + [0x0A], to: verdicts, syncs: true)
  }

  private func load() throws {
    var entries: [String: Entry] = [:]
    let lines = try lines(of: file)
    for line in lines {
      guard let (user, entry) = Self.entry(Array(line)) else { continue }
      entries[user] = entry
    }
    if isWriter, lines.count > 2 * entries.count + 1_000 {
      try files.replace(file, with: entries.sorted { $0.key < $1.key }.map(Self.line))
    }
    state.withLock { state in
      state.entries.merge(entries) { known, _ in known }
      state.isLoaded = true
    }
  }

  private func lines(of path: String) throws -> [ArraySlice<UInt8>] {
    (try files.readWholeIfPresent(path) ?? []).split(separator: 0x0A)
  }

  private static func line(_ user: String, _ entry: Entry) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("user", user)
    json.member("at", entry.at.description)
    json.member("document", entry.id)
    json.key("record")
    json.store(entry.record.value)
    json.endObject()
    return json.bytes + [0x0A]
  }

  /// Reads a line; nil for the part of a line that a power loss left.
  private static func entry(_ line: [UInt8]) -> (String, Entry)? {
    guard let node = try? JSONNode.parse(line), let user = node["user"]?.string,
      let id = node["document"]?.string,
      let record = node["record"].flatMap({ StoreRecord(StoreValue($0)) }),
      let at = (node["at"]?.string).flatMap({ try? InstantText.parse($0).instant })
    else { return nil }
    return (user, Entry(id: id, record: record, at: at))
  }
}
