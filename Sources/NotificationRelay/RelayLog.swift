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
    var log: SealedLog
    var progress: RelayProgress
    var linesSinceSnapshot = 0
    /// When the log was begun.
    var begunAt: Instant
  }

  /// What a log is opened with.
  public struct Terms: Sendable {
    /// The ledger's id.
    public var ledger: String
    /// Who writes, for the first line.
    public var program: String
    /// How long a log that was put aside is kept.
    public var keepSeconds: Int64 = 30 * 86_400
    /// A log is put aside before it has more than this, about: opening reads it.
    public var limitBytes = 64 << 20

    /// Terms.
    public init(ledger: String, program: String) {
      self.ledger = ledger
      self.program = program
    }
  }

  /// Lines after which the cache is written again.
  private static let snapshotEvery = 20_000
  /// Lines that are sealed together at most.
  static let linesPerSeal = 4_096

  private let folders: RelayFolders
  private let stateFolder: String
  private let terms: Terms
  private let state: Lock<State>

  private init(
    _ folders: RelayFolders, stateFolder: String, _ terms: Terms, _ state: sending State
  ) {
    self.folders = folders
    self.stateFolder = stateFolder
    self.terms = terms
    self.state = Lock(state)
  }

  /// How far the sink is.
  public var progress: RelayProgress { state.withLock { $0.progress } }

  /// Opens the log of the sink called `name` for the ledger that the terms name, or begins one; throws ``RelayError``.
  ///
  /// What older versions kept, a cursor alone, is taken over. A log that is damaged or belongs to another ledger is refused.
  public static func open(
    _ name: String, in directory: DataDirectory, _ terms: Terms, now: Instant
  ) throws -> RelayLog {
    let folders = RelayFolders(name, in: directory)
    let folder = folders.current
    do {
      try folders.recover()
      try folders.removeArchives(before: now.adding(seconds: -terms.keepSeconds))
      let (log, _) = try SealedLog.open(
        folder: folder, stateFolder: directory.state, segmentLimitBytes: terms.limitBytes)
      var state = State(log: log, progress: RelayProgress(), begunAt: now)
      if log.state.head == .origin {
        let cache = try RelayCache.read(folder)
        try begin(&state, folder, terms, now: now)
        if let cursor = cache?.progress.cursor, cursor != .origin {
          try commit([.cursor(cursor)], at: now, &state, folder)
        }
      } else {
        let reader = try LedgerReader.open(folder: folder)
        guard reader.ledger == terms.ledger else {
          throw foreign(folder, reader.ledger, terms.ledger)
        }
        state.progress = try fold(reader, after: RelayCache.readUnlessDamaged(folder))
        state.begunAt = try reader.firstRecord()?.at ?? now
      }
      return RelayLog(folders, stateFolder: directory.state, terms, state)
    } catch let error as LedgerError {
      throw unusable(folder, error)
    } catch let error as FileError {
      throw RelayError(place: error.path, cause: error.cause, remedy: error.remedy)
    }
  }

  /// How far the sink called `name` is, beside a writer or without one; nothing at all when there is no log.
  public static func read(_ name: String, in directory: DataDirectory) throws -> RelayProgress {
    let folder = try RelayFolders(name, in: directory).readable()
    guard let reader = try reader(of: folder) else {
      return try RelayCache.read(folder)?.progress ?? RelayProgress()
    }
    return try fold(reader, after: RelayCache.readUnlessDamaged(folder))
  }

  /// The ledger to which the log of the sink called `name` belongs; nil when there is no log.
  public static func ledger(of name: String, in directory: DataDirectory) throws -> String? {
    try reader(of: try RelayFolders(name, in: directory).readable())?.ledger
  }

  /// Calls `body` with every record of the sink called `name` and when it was made, in order; with none when there is no log.
  ///
  /// The log that is written says all that is open.
  public static func readRecords(
    _ name: String, in directory: DataDirectory, _ body: (Instant, RelayRecord) throws -> Void
  ) throws {
    let folder = try RelayFolders(name, in: directory).readable()
    if let reader = try reader(of: folder) { try readRecords(reader, after: 0, body) }
  }

  /// Calls `body` with every attempt that is kept at the events of these lines of the ledger, in order.
  public static func readAttempts(
    at lines: Set<UInt64>, _ name: String, in directory: DataDirectory,
    _ body: (Instant, DeliveryAttempt) throws -> Void
  ) throws {
    try eachLog(name, directory) { reader in
      // A line is taken apart only where it is about one of them: there may be millions.
      let isWanted = { RelayRecord.line(in: $0).map(lines.contains) ?? false }
      try readRecords(reader, after: 0, where: isWanted) { at, record in
        if case .attempt(let attempt) = record { try body(at, attempt) }
      }
    }
  }

  /// Calls `body` with the delay of every delivery that is kept, in seconds from the event's record. A file's are not recorded.
  public static func readDelays(
    _ name: String, in directory: DataDirectory, _ body: (Int64) -> Void
  ) throws {
    try eachLog(name, directory) { reader in
      try reader.readLines(after: 0) { _, line in
        if let delay = RelayRecord.delay(in: line) { body(delay) }
      }
    }
  }

  /// What is wrong with the logs of a sink that are kept: seals that do not hold, and a cache that says otherwise than its log.
  /// Nothing when there is no log.
  public static func flaws(_ name: String, in directory: DataDirectory) throws -> [String] {
    var flaws: [String] = []
    let folders = try RelayFolders(name, in: directory).kept()
    for folder in folders {
      do throws(LedgerError) {
        let report = try LedgerVerifier(folder: folder).verify()
        flaws += report.isIntact ? [] : report.damage.map { "its log is damaged: \($0)" }
      } catch {
        if error.kind != .missing { flaws.append("its log is damaged: \(error)") }
      }
    }
    guard flaws.isEmpty, let folder = folders.last else { return flaws }
    guard let reader = try reader(of: folder), let cache = try RelayCache.readUnlessDamaged(folder),
      let head = cache.head, head.seq <= reader.head.seq
    else { return [] }
    var told = RelayFold()
    struct Reached: Error {}
    do {
      try reader.readLines(after: 0) { seq, line in
        if seq > head.seq { throw Reached() }
        if let read = try RelayRecord.read(line) { try told.apply(read.record, at: read.at) }
      }
    } catch is Reached {}
    if told.progress != cache.progress {
      flaws.append("\(folder)/cursor.json says otherwise than the log; remove it, it is made anew")
    }
    return flaws
  }

  /// All logs of a sink that are kept, the oldest first.
  private static func eachLog(
    _ name: String, _ directory: DataDirectory, _ body: (LedgerReader) throws -> Void
  ) throws {
    for folder in try RelayFolders(name, in: directory).kept() {
      if let reader = try reader(of: folder) { try body(reader) }
    }
  }

  /// Brings up to ``linesPerSeal`` records to the disk, in order; after an error none of them counts. Throws ``RelayError``.
  public func commit(_ records: [RelayRecord], at now: Instant) throws {
    try state.withLock { state in
      try Self.commit(records, at: now, &state, folders.current)
      if state.linesSinceSnapshot >= Self.snapshotEvery {
        try Self.keep(state, folders.current)
        state.linesSinceSnapshot = 0
      }
    }
  }

  /// The same for as many records as there are, in a log that nobody goes by yet.
  public func begin(with records: [RelayRecord], at now: Instant) throws {
    try state.withLock { try Self.commitAll(records, at: now, &$0, folders.current) }
  }

  /// Whether the log has become long, or as old as logs are kept: time for ``exchange(now:)``.
  public func isDue(now: Instant) -> Bool {
    state.withLock { state in
      state.log.isDivided || now.seconds(since: state.begunAt) > terms.keepSeconds
    }
  }

  /// Puts the log aside and goes on in a new one, which begins with all that is still open: where the sink stands, and what was
  /// given up and not asked for again. Removes logs that were put aside long enough ago. After an error nothing has changed.
  public func exchange(now: Instant) throws {
    try state.withLock { state in
      var dead = DeadLetters()
      let reader = try LedgerReader.open(folder: folders.current)
      try Self.readRecords(reader, after: 0) { dead.apply($1, at: $0) }
      let base = RelayCache(head: state.log.state.head, progress: state.progress)
      try folders.makeNext()
      let (log, _) = try SealedLog.open(
        folder: folders.next, stateFolder: stateFolder, segmentLimitBytes: terms.limitBytes)
      var fresh = State(log: log, progress: state.progress, begunAt: now)
      try Self.begin(&fresh, folders.next, terms, now: now)
      try Self.commitAll(
        RelayRecord.beginning(after: base, dead.letters), at: now, &fresh, folders.next)
      try Self.keep(fresh, folders.next)
      state.log.close()
      try folders.exchange(now: now)
      fresh.log.move(to: folders.current)
      state = fresh
      state.linesSinceSnapshot = 0
      try folders.removeArchives(before: now.adding(seconds: -terms.keepSeconds))
    }
  }

  /// Writes the cache and gives the file back.
  public func close() throws {
    try state.withLock { state in
      defer { state.log.close() }
      try Self.keep(state, folders.current)
    }
  }

  /// Commits records of a log that begins, under as many seals as it takes.
  private static func commitAll(
    _ records: [RelayRecord], at now: Instant, _ state: inout State, _ folder: String
  ) throws {
    var rest = records[...]
    while !rest.isEmpty {
      try commit(Array(rest.prefix(linesPerSeal)), at: now, &state, folder)
      rest = rest.dropFirst(linesPerSeal)
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

  private static func keep(_ state: State, _ folder: String) throws {
    try RelayCache(head: state.log.state.head, progress: state.progress).write(folder)
  }

  private static func begin(
    _ state: inout State, _ folder: String, _ terms: Terms, now: Instant
  ) throws {
    var lines: [UInt8] = []
    var encoder = RecordEncoder()
    let at = now.truncatedToMilliseconds
    let genesis = GenesisRecord(
      format: GenesisRecord.currentFormat, ledger: terms.ledger, program: terms.program)
    do {
      try encoder.append(Record(seq: 1, at: at, body: .genesis(genesis)), to: &lines)
      _ = try state.log.commit(&lines, count: 1, at: at)
    } catch let error as FileError {
      throw RelayError(place: folder, cause: error.cause, remedy: error.remedy)
    }
  }

  private static func fold(
    _ reader: LedgerReader, after cache: RelayCache?
  ) throws -> RelayProgress {
    var fold = RelayFold()
    var start: UInt64 = 0
    // A cache of another log, or of lines that are gone, is no cache.
    if let cache, let head = cache.head, head.seq <= reader.head.seq {
      fold = RelayFold(cache.progress)
      start = head.seq
    }
    try readRecords(reader, after: start) { try fold.apply($1, at: $0) }
    return fold.progress
  }

  private static func readRecords(
    _ reader: LedgerReader, after seq: UInt64,
    where isWanted: (UnsafeBufferPointer<UInt8>) -> Bool = { _ in true },
    _ body: (Instant, RelayRecord) throws -> Void
  ) throws {
    try reader.readLines(after: seq) { seq, line in
      guard isWanted(line) else { return }
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
