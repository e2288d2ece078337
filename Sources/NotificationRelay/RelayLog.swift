public import CivilTime
import Digests
import Files
import Ledger
public import LedgerStore
import StrictJSON
import Threading

/// Why a sink's folder cannot be used, or what was sent cannot be recorded: place, cause and remedy.
public struct RelayError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file or folder.
  public let place: String
  /// What is wrong.
  public let cause: String
  /// What to do.
  public let remedy: String

  /// An error.
  public init(place: String, cause: String, remedy: String) {
    self.place = place
    self.cause = cause
    self.remedy = remedy
  }

  /// All of it on one line.
  public var description: String { "\(place): \(cause); \(remedy)" }
}

/// The sealed log of a sink, `relay/SINK/`, and the fold of it. Belongs to the process that holds the ledger's lock.
///
/// `cursor.json` beside it is a cache of the fold; without it the whole log is read. All calls block.
public final class RelayLog: Sendable {
  private struct State {
    let log: SealedLog
    var progress: RelayProgress
    var linesSinceSnapshot = 0
  }

  /// A segment of the log is left for a new one before it would grow beyond this: opening reads the last.
  private static let segmentLimitBytes = 64 << 20
  /// Lines after which the cache is written again.
  private static let snapshotEvery = 20_000
  /// Lines that are sealed together at most.
  static let linesPerSeal = 4_096

  private let folder: String
  private let state: Lock<State>

  private init(folder: String, log: sending SealedLog, progress: RelayProgress) {
    self.folder = folder
    state = Lock(State(log: log, progress: progress))
  }

  /// How far the sink is.
  public var progress: RelayProgress { state.withLock { $0.progress } }

  /// Opens the log of the sink called `name` for the ledger with this id, or begins one; throws ``RelayError``.
  ///
  /// What older versions kept, a cursor alone, is taken over. A log that is damaged or belongs to another ledger is refused.
  public static func open(
    _ name: String, in directory: DataDirectory, ledger: String, program: String, now: Instant
  ) throws -> RelayLog {
    let folder = directory.relay(sink: name)
    do {
      let files = PosixFileSystem()
      if try files.makeFolder(folder) { try files.syncFolder(directory.relay) }
      let (log, _) = try SealedLog.open(
        folder: folder, stateFolder: directory.state, segmentLimitBytes: segmentLimitBytes)
      if log.state.head == .origin {
        return try begin(
          log, folder, ledger, program, after: RelayCache.read(folder), now: now)
      }
      let reader = try LedgerReader.open(folder: folder)
      guard reader.ledger == ledger else { throw foreign(folder, reader.ledger, ledger) }
      let progress = try fold(reader, after: RelayCache.readUnlessDamaged(folder))
      return RelayLog(folder: folder, log: log, progress: progress)
    } catch let error as LedgerError {
      throw unusable(folder, error)
    }
  }

  /// How far the sink called `name` is, beside a writer or without one; nothing at all when there is no log.
  public static func read(_ name: String, in directory: DataDirectory) throws -> RelayProgress {
    let folder = directory.relay(sink: name)
    guard let reader = try reader(of: folder) else {
      return try RelayCache.read(folder)?.progress ?? RelayProgress()
    }
    return try fold(reader, after: RelayCache.readUnlessDamaged(folder))
  }

  /// Calls `body` with every record of the sink called `name` and when it was made, in order; with none when there is no log.
  public static func readRecords(
    _ name: String, in directory: DataDirectory, _ body: (Instant, RelayRecord) throws -> Void
  ) throws {
    guard let reader = try reader(of: directory.relay(sink: name)) else { return }
    try readRecords(reader, after: 0, body)
  }

  /// Brings up to ``linesPerSeal`` records to the disk, in order; after an error none of them counts. Throws ``RelayError``.
  public func commit(_ records: [RelayRecord], at now: Instant) throws {
    try state.withLock { state in
      try Self.commit(records, at: now, &state, folder)
      if state.linesSinceSnapshot >= Self.snapshotEvery { try Self.keep(&state, folder) }
    }
  }

  /// Writes the cache and gives the file back.
  public func close() throws {
    try state.withLock { state in
      defer { state.log.close() }
      try Self.keep(&state, folder)
    }
  }

  private static func commit(
    _ records: [RelayRecord], at now: Instant, _ state: inout State, _ folder: String
  ) throws {
    let at = max(now.truncatedToMilliseconds, state.log.state.at)
    var lines: [UInt8] = []
    var encoder = RecordEncoder()
    for (offset, record) in records.enumerated() {
      encoder.appendFrame(seq: state.log.state.seq + 1 + UInt64(offset), at: at, to: &lines)
      lines += record.fields
    }
    do throws(FileError) {
      _ = try state.log.commit(&lines, count: records.count, at: at)
    } catch {
      // When this fails too, the next commit does it.
      try? state.log.recover()
      throw RelayError(place: folder, cause: error.cause, remedy: error.remedy)
    }
    state.linesSinceSnapshot += records.count
    for record in records { state.progress.apply(record, at: at) }
  }

  private static func keep(_ state: inout State, _ folder: String) throws {
    try RelayCache(head: state.log.state.head, progress: state.progress).write(folder)
    state.linesSinceSnapshot = 0
  }

  private static func begin(
    _ log: sending SealedLog, _ folder: String, _ ledger: String, _ program: String,
    after cache: RelayCache?, now: Instant
  ) throws -> RelayLog {
    var lines: [UInt8] = []
    var encoder = RecordEncoder()
    let at = now.truncatedToMilliseconds
    let genesis = GenesisRecord(
      format: GenesisRecord.currentFormat, ledger: ledger, program: program)
    do {
      try encoder.append(Record(seq: 1, at: at, body: .genesis(genesis)), to: &lines)
      _ = try log.commit(&lines, count: 1, at: at)
    } catch let error as FileError {
      throw RelayError(place: folder, cause: error.cause, remedy: error.remedy)
    }
    var state = State(log: log, progress: RelayProgress())
    if let cursor = cache?.progress.cursor, cursor != .origin {
      try commit([.cursor(cursor)], at: now, &state, folder)
    }
    let progress = state.progress
    return RelayLog(folder: folder, log: log, progress: progress)
  }

  private static func fold(
    _ reader: LedgerReader, after cache: RelayCache?
  ) throws -> RelayProgress {
    var progress = RelayProgress()
    var start: UInt64 = 0
    // A cache of another log, or of lines that are gone, is no cache.
    if let cache, let head = cache.head, head.seq <= reader.head.seq {
      progress = cache.progress
      start = head.seq
    }
    try readRecords(reader, after: start) { progress.apply($1, at: $0) }
    return progress
  }

  private static func readRecords(
    _ reader: LedgerReader, after seq: UInt64, _ body: (Instant, RelayRecord) throws -> Void
  ) throws {
    try reader.readLines(after: seq) { seq, line in
      let read: (at: Instant, record: RelayRecord)?
      do throws(JSONError) {
        read = try RelayRecord.read(line)
      } catch {
        throw RelayError(
          place: "line \(seq) of the relay's log", cause: error.what,
          remedy: "use the version that wrote it, or a later one")
      }
      if let read { try body(read.at, read.record) }
    }
  }

  private static func foreign(_ folder: String, _ found: String, _ ledger: String) -> RelayError {
    RelayError(
      place: folder, cause: "it belongs to the ledger \(found), and this is \(ledger)",
      remedy:
        "move it away if this sink is to get every event of this ledger, or put the ledger back")
  }

  private static func unusable(_ folder: String, _ error: LedgerError) -> RelayError {
    RelayError(
      place: folder, cause: error.cause,
      remedy:
        "put it back from a copy, or move it away: every event is then sent again, with the same id"
    )
  }

  /// A reader of the log in `folder`, nil when there is no log yet; throws ``RelayError``.
  private static func reader(of folder: String) throws(RelayError) -> LedgerReader? {
    do throws(LedgerError) {
      return try LedgerReader.open(folder: folder)
    } catch {
      if error.kind == .missing { return nil }
      if case .inputOutput(let cause) = error.kind, cause.isMissing { return nil }
      throw unusable(folder, error)
    }
  }
}
