internal import Glibc
public import Scheduling
import StrictJSON
import Threading

/// The looks of open days on disk: lines are appended as looks are made, and the last one of a user and route counts.
///
/// Nothing is synced: to lose lines can only make days unknown. A line that is torn or damaged is passed over.
public final class LookJournal: LookKeeping {
  /// What was kept before a restart.
  public struct Kept: Sendable {
    /// Histories in the order of their lines; a later one of the same user and route replaces an earlier.
    public var entries: [LookEntry] = []
    /// The inbox's watermark, nil when none was kept.
    public var watermark: InboxWatermark?
    /// Lines that could not be read.
    public var damagedLines = 0
  }

  private struct State {
    var file: OpenFile?
    var bytes = 0
    /// Whether the file may end within a line.
    var mayBeTorn = true
  }

  private let path: String
  private let folder: String
  private let fileSystem: any FileSystem
  private let thread = BlockingThread(named: "rewards.looks")
  private let state = Lock(State())

  /// The journal of a data directory.
  public init(_ directory: DataDirectory, fileSystem: any FileSystem = PosixFileSystem()) {
    path = "\(directory.looks)/looks.jsonl"
    folder = directory.looks
    self.fileSystem = fileSystem
  }

  /// Reads what was kept; nothing when there is no journal.
  public func read() async throws -> Kept {
    try await thread.run { [self] in
      let bytes: [UInt8]
      do {
        bytes = try fileSystem.readWhole(path)
      } catch let error as FileError where error.code == ENOENT {
        return Kept()
      }
      var kept = Kept()
      bytes.withUnsafeBufferPointer { buffer in
        for line in buffer.split(separator: UInt8(ascii: "\n")) {
          switch LookLine.parse(UnsafeBufferPointer(rebasing: line)) {
          case .entry(let entry): kept.entries.append(entry)
          case .watermark(let watermark): kept.watermark = watermark
          case nil: kept.damagedLines += 1
          }
        }
      }
      return kept
    }
  }

  /// Bytes in the journal since it was last rewritten.
  public var sizeBytes: Int { state.withLock { $0.bytes } }

  /// Appends entries; a failure is swallowed, because the looks are in memory still and the next line replaces this.
  public func keep(_ entries: [LookEntry]) async {
    guard !entries.isEmpty else { return }
    var writer = JSONWriter()
    for entry in entries {
      LookLine.append(entry, to: &writer)
      writer.endLine()
    }
    await append(writer.bytes)
  }

  /// Appends the inbox's watermark.
  public func keep(watermark: InboxWatermark) async {
    var writer = JSONWriter()
    LookLine.append(watermark, to: &writer)
    writer.endLine()
    await append(writer.bytes)
  }

  /// Replaces the journal by just these lines.
  public func rewrite(_ entries: [LookEntry], watermark: InboxWatermark?) async throws {
    var writer = JSONWriter()
    for entry in entries {
      LookLine.append(entry, to: &writer)
      writer.endLine()
    }
    if let watermark {
      LookLine.append(watermark, to: &writer)
      writer.endLine()
    }
    let bytes = writer.bytes
    try await thread.run { [self] in
      let fresh = try fileSystem.open(path + ".new", for: .replace)
      defer { fileSystem.close(fresh) }
      try fileSystem.writeAll(bytes, to: fresh)
      try fileSystem.rename(path + ".new", to: path)
      state.withLock { state in
        if let file = state.file { fileSystem.close(file) }
        state = State()
      }
    }
  }

  private func append(_ bytes: [UInt8]) async {
    _ = try? await thread.run { [self] in
      let (known, mayBeTorn) = state.withLock { ($0.file, $0.mayBeTorn) }
      let file = try known ?? fileSystem.open(path, for: .append)
      state.withLock { state in
        state.file = file
        state.mayBeTorn = true
      }
      // A line torn by a crash or a full disk must not swallow the next one; an empty line says nothing.
      let lines = mayBeTorn ? [UInt8(ascii: "\n")] + bytes : bytes
      try fileSystem.writeAll(lines, to: file)
      state.withLock { state in
        state.bytes += lines.count
        state.mayBeTorn = false
      }
    }
  }
}
