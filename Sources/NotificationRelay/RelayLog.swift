public import CivilTime
import Files
import Ledger
public import LedgerStore
import Threading

/// The sealed log of a sink, `relay/SINK/`, as it is written. Belongs to the process that holds the ledger's lock.
///
/// `cursor.json` beside it is a cache of its fold; without it the whole log is read. All calls block, but for ``progress`` and
/// ``isDue(now:)``, which wait for no disk.
public final class RelayLog: Sendable {
  /// The file, in the hands of whoever writes: held while the disk works, so only threads that may block come here.
  private struct Writing {
    var log: SealedLog
    var linesSinceSnapshot = 0
  }

  /// What the lines on the disk come to; changed by whoever writes.
  private struct Standing {
    var progress = RelayProgress()
    /// When the log was begun.
    var begunAt: Instant
    var isDivided: Bool
  }

  /// What a log is opened with.
  public struct Terms: Sendable {
    /// The ledger's id.
    public var ledger: String
    /// Who writes, for the first line.
    public var program: String
    /// How long a log that was put aside is kept.
    public var keepSeconds: Int64 = 30 * 86_400
    /// Which events are wanted, for those who hold the log against the ledger; nil where nobody does.
    public var filter: EventFilter?
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

  /// How far a clock may have been ahead without anybody's care, in seconds.
  private static let toleratedSeconds: Int64 = 300

  private let folders: RelayFolders
  private let stateFolder: String
  private let terms: Terms
  private let writing: Lock<Writing>
  private let standing: Lock<Standing>

  private init(
    _ folders: RelayFolders, stateFolder: String, _ terms: Terms, _ log: sending SealedLog,
    _ standing: sending Standing
  ) {
    self.folders = folders
    self.stateFolder = stateFolder
    self.terms = terms
    self.standing = Lock(standing)
    writing = Lock(Writing(log: log))
  }

  /// How far the sink is.
  public var progress: RelayProgress { standing.withLock { $0.progress } }

  /// Whether a clock that was ahead has written the log's last record.
  func isAhead(of now: Instant) -> Bool {
    writing.withLock { $0.log.state.at } > now.adding(seconds: Self.toleratedSeconds)
  }

  /// Opens the log of the sink called `name` for the ledger that the terms name, or begins one; throws ``RelayError``.
  ///
  /// What older versions kept, a cursor alone, is taken over. A log that is damaged or belongs to another ledger is refused. Logs that
  /// were put aside long enough ago are removed, unless `isDoubtful` says that nobody knows yet if `now` is right.
  public static func open(
    _ name: String, in directory: DataDirectory, _ terms: Terms, now: Instant,
    isDoubtful: Bool = false
  ) throws -> RelayLog {
    let folders = RelayFolders(name, in: directory)
    let folder = folders.current
    do {
      try folders.recover()
      if !isDoubtful {
        try folders.removeArchives(before: now.adding(seconds: -terms.keepSeconds))
      }
      var (log, _) = try SealedLog.open(
        folder: folder, stateFolder: directory.state, segmentLimitBytes: terms.limitBytes)
      var standing = Standing(begunAt: now, isDivided: false)
      if log.state.head == .origin {
        let cache = try RelayCache.read(folder)
        try begin(&log, folder, terms, now: now)
        if let cursor = cache?.progress.cursor, cursor != .origin {
          let at = try write([.cursor(cursor)], at: now, &log, folder)
          standing.progress.apply(.cursor(cursor), at: at)
        }
      } else {
        let reader = try LedgerReader.open(folder: folder)
        guard reader.ledger == terms.ledger else {
          throw foreign(folder, reader.ledger, terms.ledger)
        }
        standing.progress = try RelayLogReader.fold(
          reader, after: RelayCache.readUnlessDamaged(folder))
        standing.begunAt = try reader.firstRecord()?.at ?? now
      }
      if let filter = terms.filter?.description, standing.progress.filter?.events != filter {
        let at = try write([.filter(filter)], at: now, &log, folder)
        standing.progress.apply(.filter(filter), at: at)
      }
      standing.isDivided = log.isDivided
      return RelayLog(folders, stateFolder: directory.state, terms, log, standing)
    } catch let error as LedgerError {
      throw RelayLogReader.unusable(folder, error)
    } catch let error as FileError {
      throw RelayError(error)
    }
  }

  /// Brings up to ``linesPerSeal`` records to the disk, in order; after an error none of them counts. Throws ``RelayError``.
  public func commit(_ records: [RelayRecord], at now: Instant) throws {
    try writing.withLock { writing in
      try commit(records, at: now, &writing)
      if writing.linesSinceSnapshot >= Self.snapshotEvery {
        try keep(writing.log)
        writing.linesSinceSnapshot = 0
      }
    }
  }

  /// The same for as many records as there are, in a log that nobody goes by yet.
  public func begin(with records: [RelayRecord], at now: Instant) throws {
    try writing.withLock { writing in
      for batch in Self.batches(records) { try commit(batch, at: now, &writing) }
    }
  }

  /// Whether the log has become long, or as old as logs are kept, or a clock that was ahead has written in it, which no record may
  /// precede: time for ``exchange(now:)``.
  public func isDue(now: Instant) -> Bool {
    isAhead(of: now)
      || standing.withLock { standing in
        standing.isDivided || now.seconds(since: standing.begunAt) > terms.keepSeconds
      }
  }

  /// Puts the log aside and goes on in a new one, which begins with all that is still open: where the sink stands, and what was
  /// given up and not asked for again. Removes logs that were put aside long enough ago. After an error nothing has changed.
  public func exchange(now: Instant) throws {
    try writing.withLock { writing in
      var dead = DeadLetters()
      let reader = try LedgerReader.open(folder: folders.current)
      try RelayLogReader.readRecords(reader, after: 0) { dead.apply($1, at: $0) }
      let base = RelayCache(head: writing.log.state.head, progress: progress)
      try folders.makeNext()
      var (log, _) = try SealedLog.open(
        folder: folders.next, stateFolder: stateFolder, segmentLimitBytes: terms.limitBytes)
      try Self.begin(&log, folders.next, terms, now: now)
      var fresh = Standing(progress: base.progress, begunAt: now, isDivided: false)
      for batch in Self.batches(RelayRecord.beginning(after: base, dead.letters)) {
        let at = try Self.write(batch, at: now, &log, folders.next)
        for record in batch { fresh.progress.apply(record, at: at) }
      }
      try RelayCache(head: log.state.head, progress: fresh.progress).write(folders.next)
      fresh.isDivided = log.isDivided
      writing.log.close()
      try folders.exchange(now: now)
      log.move(to: folders.current)
      writing = Writing(log: log)
      standing.withLock { $0 = fresh }
      try folders.removeArchives(before: now.adding(seconds: -terms.keepSeconds))
    }
  }

  /// Writes the cache and gives the file back.
  public func close() throws {
    try writing.withLock { writing in
      defer { writing.log.close() }
      try keep(writing.log)
    }
  }

  private func commit(_ records: [RelayRecord], at now: Instant, _ writing: inout Writing) throws {
    let at = try Self.write(records, at: now, &writing.log, folders.current)
    writing.linesSinceSnapshot += records.count
    let isDivided = writing.log.isDivided
    standing.withLock { standing in
      for record in records { standing.progress.apply(record, at: at) }
      standing.isDivided = isDivided
    }
  }

  private func keep(_ log: SealedLog) throws {
    try RelayCache(head: log.state.head, progress: progress).write(folders.current)
  }

  /// What may be sealed together, one after the other.
  private static func batches(_ records: [RelayRecord]) -> [[RelayRecord]] {
    stride(from: 0, to: records.count, by: linesPerSeal).map { start in
      Array(records[start..<min(start + linesPerSeal, records.count)])
    }
  }

  /// Brings records to the disk under one seal; returns the time that they bear.
  private static func write(
    _ records: [RelayRecord], at now: Instant, _ log: inout SealedLog, _ folder: String
  ) throws -> Instant {
    let at = max(now.truncatedToMilliseconds, log.state.at)
    var lines: [UInt8] = []
    var encoder = RecordEncoder()
    for (offset, record) in records.enumerated() {
      encoder.appendFrame(seq: log.state.seq + 1 + UInt64(offset), at: at, to: &lines)
      lines += record.fields
    }
    do throws(FileError) {
      _ = try log.commit(&lines, count: records.count, at: at)
    } catch {
      // When this fails too, the next commit does it.
      try? log.recover()
      throw RelayError(error, at: folder)
    }
    return at
  }

  private static func begin(
    _ log: inout SealedLog, _ folder: String, _ terms: Terms, now: Instant
  ) throws {
    var lines: [UInt8] = []
    var encoder = RecordEncoder()
    let at = now.truncatedToMilliseconds
    let genesis = GenesisRecord(
      format: GenesisRecord.currentFormat, ledger: terms.ledger, program: terms.program)
    do {
      try encoder.append(Record(seq: 1, at: at, body: .genesis(genesis)), to: &lines)
      _ = try log.commit(&lines, count: 1, at: at)
    } catch let error as FileError {
      throw RelayError(error, at: folder)
    }
  }

  private static func foreign(_ folder: String, _ found: String, _ ledger: String) -> RelayError {
    RelayError(
      place: folder, cause: "it belongs to the ledger \(found), and this is \(ledger)",
      remedy:
        "move it away if this sink is to get every event of this ledger, or put the ledger back")
  }
}
