package import CivilTime
package import Foundations
internal import Glibc
package import Scheduling

/// The polls of open days on disk: a frame is appended for each poll, and the last frame of a user and route counts.
///
/// Nothing is synced: losing frames makes days unknown. The ledger also has what the routes said about open days, but
/// only these frames reveal that an API now shows less about closed days than before. Torn bytes are cut off before the
/// next append. The file is rewritten when more than half of it is out of date.
package final class LookJournal: LookKeeping {
  /// The journal's content other than histories.
  package struct Found: Sendable {
    /// How far the inbox's sender has declared it complete; nil if that is not recorded.
    package var inboxThrough: Instant?
    /// Unreadable bytes at the end.
    package var damagedBytes = 0
    /// Why the rest could not be read at all; nil if it could.
    package var loss: FileError?
  }

  private struct State {
    var file: OpenFile?
    /// The length up to which the file is good; nil if not known.
    var goodBytes: Int?
    /// Whether the file cannot be read to its end; it is then rewritten.
    var isLost = false
    /// The file's size after the last rewrite, or when it was opened.
    var leastBytes = 0
  }

  private let path: String
  private let folder: String
  private let fileSystem: any FileSystem
  private let thread = BlockingThread(named: "rewards.looks")
  // Used only on the thread, except for the sizes.
  private let state = Lock(State())
  /// The minimum growth before the journal is rewritten.
  static let leastGrowthBytes = 1 << 20
  /// The maximum average size of an entry. A longer journal is rewritten, whatever its size when opened, so that
  /// commands run repeatedly keep it as short as a service does.
  static let mostBytesAnEntry = 160

  /// Creates access to the journal of a data directory.
  package init(_ directory: DataDirectory) {
    path = "\(directory.looks)/looks"
    folder = directory.looks
    fileSystem = directory.files
  }

  /// Calls `body` with the histories kept before a restart, in frame order: a later one of the same user and route
  /// replaces an earlier one. Blocks.
  ///
  /// Skips users outside `users`; nil requests everyone's. Call this before keeping anything.
  package func read(of users: Set<String>? = nil, _ body: (LookEntry) -> Void) throws -> Found {
    var found = Found()
    do {
      try fileSystem.reading(path) { file in
        let good = try LookFrame.read(file, fileSystem, of: users) { content in
          switch content {
          case .entry(let entry): body(entry)
          case .passedOver: break
          case .inboxThrough(let instant): found.inboxThrough = instant
          }
        }
        found.damagedBytes = try fileSystem.size(of: file) - good
        state.withLock { state in
          state.goodBytes = good
          state.leastBytes = good
        }
      }
    } catch let error as FileError where error.isMissing {
      return found
    } catch let error as FileError where error.isUnreadable {
      state.withLock { $0.isLost = true }
      found.loss = error
    }
    return found
  }

  /// Restores into `state` what was kept before a restart, as ``read(of:_:)`` does; returns why a part of it is lost,
  /// or nil.
  ///
  /// Polls dated after `now`, from a future that never came, prove nothing.
  @discardableResult
  package func restore(_ state: inout WorkingState, now: Instant) throws -> FileError? {
    let found = try read { state.restore($0) }
    state.restore(inboxThrough: found.inboxThrough, now: now)
    return found.loss
  }

  /// Returns whether a rewrite would make the journal much shorter; `entries` is the number of histories.
  package func isWorthRewriting(entries: Int) -> Bool {
    state.withLock { state in
      let bytes = state.goodBytes ?? 0
      // A history takes about eighty bytes.
      return bytes > max(2 * state.leastBytes, Self.leastGrowthBytes)
        || bytes > max(Self.mostBytesAnEntry * entries, Self.leastGrowthBytes)
    }
  }

  /// Appends entries; ignores failures, because memory still has the polls and the next frame replaces this one.
  package func keep(_ entries: [LookEntry]) {
    if entries.isEmpty { return }
    var bytes: [UInt8] = []
    for entry in entries { LookFrame.append(entry, to: &bytes) }
    append(bytes)
  }

  /// Records how far the inbox is complete.
  package func keep(inboxThrough: Instant) {
    var bytes: [UInt8] = []
    LookFrame.append(inboxThrough: inboxThrough, to: &bytes)
    append(bytes)
  }

  /// Returns once everything handed over so far has been written or has failed.
  package func flush() async { _ = try? await thread.run {} }

  /// Replaces the journal's content with these entries; if that fails, the longer journal stays.
  package func rewrite(_ entries: some Sequence<LookEntry>, inboxThrough: Instant?) {
    let bytes = Self.frames(entries, inboxThrough)
    thread.start { [self] in try? replace(by: bytes) }
  }

  /// Replaces the journal's content at once, before anything else is kept; throws ``FileError``. Blocks.
  package func write(_ entries: some Sequence<LookEntry>, inboxThrough: Instant?) throws {
    try replace(by: Self.frames(entries, inboxThrough))
  }

  private static func frames(
    _ entries: some Sequence<LookEntry>, _ inboxThrough: Instant?
  ) -> [UInt8] {
    var bytes = LookFrame.magic
    for entry in entries { LookFrame.append(entry, to: &bytes) }
    if let inboxThrough { LookFrame.append(inboxThrough: inboxThrough, to: &bytes) }
    return bytes
  }

  private func replace(by bytes: [UInt8]) throws {
    let fresh = try fileSystem.open(path + ".new", for: .replace)
    do {
      defer { fileSystem.close(fresh) }
      try fileSystem.writeAll(bytes, to: fresh)
    }
    try fileSystem.rename(path + ".new", to: path)
    state.withLock { state in
      if let file = state.file { fileSystem.close(file) }
      state = State(goodBytes: bytes.count, leastBytes: bytes.count)
    }
  }

  private func append(_ bytes: [UInt8]) {
    thread.start { [self] in try? appendNow(bytes) }
  }

  private func appendNow(_ bytes: [UInt8]) throws {
    if state.withLock({ $0.isLost }) { return try replace(by: LookFrame.magic + bytes) }
    let (known, good) = state.withLock { ($0.file, $0.goodBytes) }
    let file: OpenFile
    do {
      file = try known ?? fileSystem.open(path, for: .append)
    } catch let error as FileError where error.code == ELOOP {
      // A link has replaced it: its target belongs to someone else.
      return try replace(by: LookFrame.magic + bytes)
    }
    state.withLock { state in
      state.file = file
      state.goodBytes = nil
    }
    var size = try fileSystem.size(of: file)
    // A frame torn by a crash or a full disk, or a file of another form, must not corrupt the next one.
    if size != good ?? -1 {
      do {
        size = try good ?? LookFrame.read(file, fileSystem) { _ in }
        try fileSystem.truncate(file, to: size)
      } catch let error as FileError where error.isUnreadable {
        return try replace(by: LookFrame.magic + bytes)
      }
    }
    let frames = size == 0 ? LookFrame.magic + bytes : bytes
    try fileSystem.writeAll(frames, to: file)
    state.withLock { $0.goodBytes = size + frames.count }
  }
}
