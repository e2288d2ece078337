import CivilTime
package import Configuration
import Digests
import Engine
import Foundations
package import Ledger
package import LedgerStore
import NotificationRelay
import Scheduling

/// Imports the users of one shard from a backup of an undivided ledger into the shard's empty ledger.
///
/// The shard's ledger holds the same facts about its users, at the same times and under the same keys. Its last line
/// names the source ledger and seal. The same backup gives the same ledger, to the byte, so an interrupted import can
/// be repeated.
package struct LedgerImport: Sendable {
  /// A summary of the import.
  package struct Report: Sendable, Equatable {
    /// The id of the shard's ledger.
    package var ledger = ""
    /// Its last seal.
    package var head = LedgerHead.origin
    /// The number of its users; nil when the shard already had them and nothing was done.
    package var users: Int?
    /// The id of the source ledger.
    package var source = ""
    /// The seal of the source ledger up to which everything was imported.
    package var sourceHead = LedgerHead.origin
  }

  /// The terms of an import.
  package struct Terms: Sendable {
    /// Whether nothing was submitted to the inbox after the backup was made.
    package var isInboxComplete: Bool
    /// An existing folder in which the shard's ledger is built before it goes to the database.
    package var workFolder: String

    /// Creates terms.
    package init(isInboxComplete: Bool, workFolder: String) {
      (self.isInboxComplete, self.workFolder) = (isInboxComplete, workFolder)
    }
  }

  private let backup: BackupContents
  private let shardID: ShardID
  private let configuration: Configuration
  private let shards: [DataDirectory]
  private let environment: RuntimeEnvironment

  /// Creates an import of the backup in `folder` into this configuration's ledger, one of `shards`. Throws
  /// ``LedgerStore/LedgerError`` when the folder is not a finished backup, and ``RuntimeError`` when the backup lacks
  /// some users. Blocks.
  package init(
    _ folder: String, as shardID: ShardID, _ configuration: Configuration,
    of shards: [DataDirectory], _ environment: RuntimeEnvironment
  ) throws {
    backup = try BackupContents(DataDirectory(folder, in: configuration.files))
    if let shard = backup.shard {
      throw RuntimeError(
        kind: .lines,
        cause: "\(folder) is a backup of shard \(shard), which does not hold all users",
        remedy: "use a backup that holds all users: shards cannot be divided again")
    }
    self.shardID = shardID
    self.configuration = configuration
    self.shards = shards
    self.environment = environment
  }

  /// Runs the import. Throws ``LedgerStore/LedgerError``, and ``RuntimeError`` when the backup is damaged or a shard
  /// holds anything other than the result of this import; in that case nothing was written.
  package func run(_ terms: Terms) async throws -> Report {
    try await BlockingThread(named: "rewards.import").run { try importShare(terms) }
  }

  private func importShare(_ terms: Terms) throws -> Report {
    let target = configuration.directory
    var report = Report(source: backup.ledger, sourceHead: backup.head)
    let ledgers = try ledgersThere()
    if let there = ledgers[shardID.number] {
      report.ledger = there.ledger
      report.head = there.head
      return report
    }
    let whole = DataDirectory("\(terms.workFolder)/whole", in: configuration.files)
    try restore(to: whole)
    // From now on no other process can write to a shard before it has its users.
    for (shard, ledger) in zip(shards, ledgers) where ledger == nil {
      try LedgerRestore.claim(shard, for: note, command: environment.command)
    }
    let part = DataDirectory("\(terms.workFolder)/part", in: configuration.files)
    let copy = "\(terms.workFolder)/backup"
    (report.users, report.ledger) = try divide(whole, into: part)
    report.head =
      try LedgerBackup(part, into: copy)
      .run(now: backup.madeAt, command: environment.command).head
    _ = try LedgerRestore(copy, into: target).run(
      command: environment.command, isInboxComplete: terms.isInboxComplete)
    return report
  }

  /// Restores the backup to a folder, checking all of it and leaving out what an unfinished later backup added.
  private func restore(to whole: DataDirectory) throws {
    do {
      _ = try LedgerRestore(backup.folder, into: whole).run(
        command: environment.command, isInboxComplete: true)
    } catch {
      guard case .damaged = error.kind else { throw error }
      throw RuntimeError(
        kind: .lines, cause: "the backup in \(backup.folder) is damaged: \(error.cause)",
        remedy:
          "nothing was written; make another backup in a new folder: rewards ledger backup DIR")
    }
  }

  /// Returns the ledgers of the shards that already have their users, by shard; throws when one has anything else.
  private func ledgersThere() throws -> [LedgerReader?] {
    try shards.enumerated().map { number, shard in
      if let claim = try LedgerRestore.claim(on: shard) {
        if claim == note { return nil }
        throw foreign(number, "is being filled with something else: \(claim)")
      }
      do {
        let ledger = try LedgerReader.open(shard)
        if ledger.ledger == UUIDText.make(identity(of: number)) { return ledger }
        throw foreign(number, "holds the ledger \(ledger.ledger), which is not from this backup")
      } catch let error as LedgerError where error.kind == .missing {
        return nil
      }
    }
  }

  /// The note on shards that wait for their users.
  private var note: String { "ledger import of \(backup.ledger), \(backup.head)" }

  private func foreign(_ number: Int, _ what: String) -> RuntimeError {
    RuntimeError(
      kind: .lines, cause: "shard \(number) \(what)",
      remedy: "nothing was written; use another database, with empty shards")
  }

  /// Returns the bytes from which the id of a shard's ledger is made.
  private func identity(of number: Int) -> [UInt8] {
    let text = "\(backup.ledger) \(backup.head) \(ShardID(number, of: shardID.count))"
    return Array(SHA256.digest(of: Array(text.utf8)).bytes.prefix(16))
  }

  /// Makes the shard's data folder at `part`; returns the number of its users and its ledger's id.
  private func divide(
    _ whole: DataDirectory, into part: DataDirectory
  ) throws -> (users: Int, ledger: String) {
    let reader = try LedgerReader.open(whole)
    var reading = SharedReading(
      reader: reader, configuration: configuration, environment: environment)
    let holds: @Sendable (String) -> Bool = { [shardID] in shardID.holds($0) }
    reading.isWanted = holds
    let gathered = try reading.read(ClosePortions())
    let sinks = try backup.sinks.map {
      ($0, progress: try SinkFolder($0, in: whole).progress())
    }
    let writing = try PartWriter(
      part, identity: identity(of: shardID.number), genesis: try reader.firstRecord(), environment,
      seams: Set(sinks.map(\.progress.cursor.seq)))
    defer { writing.store.close() }
    let choice = UserChoice.share(0, of: 1).among(holds)
    var sums: [UInt64: ActSums] = [:]
    try reader.scan(.of(choice, skipping: [.seal])) {
      LedgerDivision.count($0.body, in: &sums, holds)
    }
    let division = try writing.write(
      reader,
      LedgerDivision(holds: holds, isFirst: shardID.number == 0, gathered, sums), of: choice,
      ending: OperatorRecord(
        act: .bringIn, subject: backup.ledger,
        what: "users of shard \(shardID), up to \(backup.head)",
        reason: "divided among shards", actor: environment.actor),
      at: backup.madeAt)
    let ledger = writing.store.report.ledger
    for (name, progress) in sinks {
      let sink = try SinkWriter(name, in: part, .init(ledger: ledger))
      sink.apply(
        SinkDivision(holds: holds, division).changes(
          of: progress, at: writing.head(through: progress.cursor.seq)), at: backup.madeAt)
      try sink.write(at: backup.madeAt)
    }
    try copyFiles(to: part)
    return (writing.users.count, ledger)
  }

  /// Copies what waits in the inbox, and the polls of this shard's users.
  private func copyFiles(to part: DataDirectory) throws {
    try backup.restoreFiles(into: part)
    let journal = LookJournal(part)
    var entries: [LookEntry] = []
    let found = try journal.read { if shardID.holds($0.user) { entries.append($0) } }
    if !entries.isEmpty || found.inboxThrough != nil {
      try journal.write(entries, inboxThrough: found.inboxThrough)
    }
  }
}
