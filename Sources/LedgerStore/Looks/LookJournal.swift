public import CivilTime
public import Files
internal import Glibc
public import Scheduling
import Threading

/// The looks of open days on disk: frames are appended as looks are made, and the last one of a user and route counts.
///
/// Nothing is synced: to lose frames makes days unknown. What the routes have told of open days is in the ledger too; who asks an API
/// that has gone back behind closed days notices it by these frames alone. What is torn is cut off before more is appended. When more
/// than half of the file is out of date, it is written anew.
public final class LookJournal: LookKeeping {
  /// What was found besides histories.
  public struct Found: Sendable {
    /// How far the inbox's sender has declared it complete; nil when that was not kept.
    public var inboxThrough: Instant?
    /// Bytes at the end that could not be read.
    public var damagedBytes = 0
    /// Why the rest could not be read at all; nil where it could.
    public var loss: FileError?
  }

  private struct State {
    var file: OpenFile?
    /// The length up to which the file is good; nil while it is not known.
    var goodBytes: Int?
    /// Whether the file cannot be read to its end: then it is written anew.
    var isLost = false
    /// What the last rewriting left, or the file held when it was opened.
    var leastBytes = 0
  }

  private let path: String
  private let folder: String
  private let fileSystem: any FileSystem
  private let thread = BlockingThread(named: "rewards.looks")
  // Touched on the thread only, but for the sizes.
  private let state = Lock(State())
  /// A journal is not written anew before it has grown by so much.
  static let leastGrowthBytes = 1 << 20
  /// A longer journal is written anew, whatever it held when it was opened: so commands that run once and again keep it as
  /// short as a service does.
  static let mostBytesAnEntry = 160

  /// The journal of a data directory.
  public init(_ directory: DataDirectory, fileSystem: any FileSystem = WorkingFiles.system) {
    path = "\(directory.looks)/looks"
    folder = directory.looks
    self.fileSystem = fileSystem
  }

  /// Gives the histories that were kept before a restart to `body`, in the order of their frames: a later one of the same
  /// user and route replaces an earlier. Those of others than `users` are passed over; nil asks for everybody's. To be called
  /// before anything is kept. Blocks.
  public func read(of users: Set<String>? = nil, _ body: (LookEntry) -> Void) throws -> Found {
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

  /// Gives `state` what was kept before a restart; looks of a future that was not, after `now`, prove nothing. As ``read(of:_:)``. Returns why
  /// a part of it is lost; nil when none is.
  @discardableResult
  public func restore(_ state: inout WorkingState, now: Instant) throws -> FileError? {
    let found = try read { state.restore($0) }
    state.restore(inboxThrough: found.inboxThrough, now: now)
    return found.loss
  }

  /// Whether writing the journal anew would make it much shorter. `entries` is how many histories there are.
  public func isWorthRewriting(entries: Int) -> Bool {
    state.withLock { state in
      let bytes = state.goodBytes ?? 0
      // A history takes some eighty bytes.
      return bytes > max(2 * state.leastBytes, Self.leastGrowthBytes)
        || bytes > max(Self.mostBytesAnEntry * entries, Self.leastGrowthBytes)
    }
  }

  /// Appends entries; a failure is swallowed, because the looks are in memory still and the next frame replaces this.
  public func keep(_ entries: [LookEntry]) {
    if entries.isEmpty { return }
    var bytes: [UInt8] = []
    for entry in entries { LookFrame.append(entry, to: &bytes) }
    append(bytes)
  }

  /// Appends how far the inbox is complete.
  public func keep(inboxThrough: Instant) {
    var bytes: [UInt8] = []
    LookFrame.append(inboxThrough: inboxThrough, to: &bytes)
    append(bytes)
  }

  /// Returns when everything that was handed over has been written, or could not be.
  public func flush() async { _ = try? await thread.run {} }

  /// Replaces the journal by just these; when that fails the longer one stays.
  public func rewrite(_ entries: some Sequence<LookEntry>, inboxThrough: Instant?) {
    let bytes = Self.frames(entries, inboxThrough)
    thread.start { [self] in try? replace(by: bytes) }
  }

  /// The same at once, before anything else is kept; throws ``FileError``. Blocks.
  public func write(_ entries: some Sequence<LookEntry>, inboxThrough: Instant?) throws {
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
      // A link stands in its place: what is behind that is somebody else's.
      return try replace(by: LookFrame.magic + bytes)
    }
    state.withLock { state in
      state.file = file
      state.goodBytes = nil
    }
    var size = try fileSystem.size(of: file)
    // A frame torn by a crash or a full disk, or a file of another form, must not swallow the next one.
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
