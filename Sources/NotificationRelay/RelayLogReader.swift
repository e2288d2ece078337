public import CivilTime
import Files
import Ledger
public import LedgerStore
import StrictJSON

/// The logs of a sink as anybody may read them, beside their writer or without one. All calls block and throw ``RelayError``.
public struct RelayLogReader: Sendable {
  private let folders: RelayFolders

  /// The logs of the sink called `name`.
  public init(_ name: String, in directory: DataDirectory) {
    folders = RelayFolders(name, in: directory)
  }

  /// How far the sink is; nothing at all when there is no log.
  public func progress() throws -> RelayProgress {
    let folder = try folders.readable()
    guard let reader = try Self.reader(of: folder) else {
      return try RelayCache.read(folder)?.progress ?? RelayProgress()
    }
    return try Self.fold(reader, after: RelayCache.readUnlessDamaged(folder))
  }

  /// The ledger to which the log belongs; nil when there is no log.
  public func ledger() throws -> String? {
    try Self.reader(of: folders.readable())?.ledger
  }

  /// Calls `body` with every record and when it was made, in order; with none when there is no log.
  ///
  /// The log that is written says all that is open.
  public func eachRecord(_ body: (Instant, RelayRecord) throws -> Void) throws {
    let reader = try Self.reader(of: folders.readable())
    if let reader { try Self.readRecords(reader, after: 0, body) }
  }

  /// Calls `body` with every attempt that is kept at the events of these lines of the ledger, in order.
  public func eachAttempt(
    at lines: Set<UInt64>, _ body: (Instant, DeliveryAttempt) throws -> Void
  ) throws {
    try eachLog { reader in
      // A line is taken apart only where it is about one of them: there may be millions.
      let isWanted = { RelayRecord.line(in: $0).map(lines.contains) ?? false }
      try Self.readRecords(reader, after: 0, where: isWanted) { at, record in
        if case .attempt(let attempt) = record { try body(at, attempt) }
      }
    }
  }

  /// The grants that are settled by what is kept, and the line of the ledger after which all that were settled are among them: where
  /// the oldest log stood before its own first attempt.
  public func settledGrants() throws -> (lines: LineSet, after: UInt64) {
    var lines = LineSet()
    var beginning = RelayFold()
    var hasBegun = false
    try eachLog { reader in
      try Self.readRecords(reader, after: 0) { at, record in
        if case .attempt(let attempt) = record {
          hasBegun = true
          if attempt.settlesGrant { lines.insert(attempt.position.seq) }
        } else if !hasBegun {
          try beginning.apply(record, at: at)
        }
      }
      hasBegun = true
    }
    return (lines, beginning.progress.furthestSettled)
  }

  /// Calls `body` with the delay of every delivery that is kept, in seconds from the event's record. A file's are not recorded.
  public func eachDelay(_ body: (Int64) -> Void) throws {
    try eachLog { reader in
      try reader.readLines(after: 0) { _, line in
        if let delay = RelayRecord.delay(in: line) { body(delay) }
      }
    }
  }

  /// What is wrong with the logs of a sink that are kept: seals that do not hold, and a cache that says otherwise than its log.
  /// Nothing when there is no log.
  public func flaws() throws -> [String] {
    var flaws: [String] = []
    let kept = try folders.kept()
    for folder in kept {
      do throws(LedgerError) {
        let report = try LedgerVerifier(folder: folder).verify()
        flaws += report.isIntact ? [] : report.damage.map { "its log is damaged: \($0)" }
      } catch {
        if error.kind != .missing { flaws.append("its log is damaged: \(error)") }
      }
    }
    guard flaws.isEmpty, let folder = kept.last else { return flaws }
    guard let reader = try Self.reader(of: folder) else { return [] }
    let cache: RelayCache?
    do throws(RelayError) {
      cache = try RelayCache.read(folder)
    } catch {
      if error.disk != nil { throw error }
      return ["\(folder)/cursor.json is damaged; remove it, it is made anew"]
    }
    guard let cache, let head = cache.head, head.seq <= reader.head.seq else { return [] }
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
  private func eachLog(_ body: (LedgerReader) throws -> Void) throws {
    for folder in try folders.kept() {
      if let reader = try Self.reader(of: folder) { try body(reader) }
    }
  }

  /// What a log comes to, from a cache of it on.
  static func fold(
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

  /// Calls `body` with the records behind `seq`, in order, and when each was made; of lines that are not wanted none is taken apart.
  static func readRecords(
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

  /// Why a log cannot be used.
  static func unusable(_ folder: String, _ error: LedgerError) -> RelayError {
    if case .inputOutput(let failure) = error.kind { return RelayError(failure) }
    return RelayError(
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
