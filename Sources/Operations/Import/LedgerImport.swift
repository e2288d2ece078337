import CivilTime
public import Configuration
import Digests
import Engine
import Files
public import Ledger
import LedgerStore
import NotificationRelay
import Scheduling
import Threading

/// Takes the users of one shard out of the backup of a ledger that has all of them, into the shard's empty ledger.
///
/// The shard's ledger says what its users' lines said, at the same times, under the same keys; its last line names the ledger
/// and the seal from which it comes. The same backup gives the same ledger, to the byte: what was cut short is repeated.
public struct LedgerImport: Sendable {
  /// What was taken.
  public struct Report: Sendable, Equatable {
    /// The id of the shard's ledger.
    public var ledger = ""
    /// Its last seal.
    public var head = LedgerHead.origin
    /// Its users.
    public var users = 0
    /// The ledger that it was part of.
    public var source = ""
    /// The seal of that ledger up to which everything was taken.
    public var sourceHead = LedgerHead.origin
    /// Whether the shard had it already, and nothing was done.
    public var wasThere = false
  }

  /// How it is done.
  public struct Terms: Sendable {
    /// Whether nothing was handed in to the inbox since the backup was made.
    public var isInboxComplete: Bool
    /// An existing folder, where the shard's ledger is made before it goes to the database.
    public var workFolder: String

    /// Terms.
    public init(isInboxComplete: Bool, workFolder: String) {
      (self.isInboxComplete, self.workFolder) = (isInboxComplete, workFolder)
    }
  }

  private let backup: BackupContents
  private let share: LedgerShare
  private let configuration: Configuration
  private let environment: RuntimeEnvironment

  /// An import of the backup in `folder` into the ledger of this configuration, which is a shard's; throws
  /// ``LedgerStore/LedgerError`` when the folder is no finished backup. Blocks.
  public init(
    _ folder: String, as share: LedgerShare, _ configuration: Configuration,
    _ environment: RuntimeEnvironment
  ) throws {
    backup = try BackupContents(folder)
    self.share = share
    self.configuration = configuration
    self.environment = environment
  }

  /// Imports. Throws ``LedgerStore/LedgerError``, also when the shard has anything but what this import gives.
  public func run(_ terms: Terms) async throws -> Report {
    try await BlockingThread(named: "rewards.import").run { try take(terms) }
  }

  private func take(_ terms: Terms) throws -> Report {
    let target = DataDirectory(configuration.data)
    var report = Report(source: backup.ledger, sourceHead: backup.head)
    if let there = try? LedgerReader.open(target), there.ledger == UUIDText.make(identity) {
      report.ledger = there.ledger
      report.head = there.head
      report.wasThere = true
      return report
    }
    let part = DataDirectory("\(terms.workFolder)/data")
    let copy = "\(terms.workFolder)/backup"
    (report.users, report.ledger) = try divide(into: part)
    report.head =
      try LedgerBackup(part, into: copy)
      .run(now: backup.madeAt, command: environment.command).head
    _ = try LedgerRestore(copy, into: target).run(
      command: environment.command, isInboxComplete: terms.isInboxComplete)
    return report
  }

  /// The bytes of which the id of the shard's ledger is made.
  private var identity: [UInt8] {
    let text = "\(backup.ledger) \(backup.head) \(share.number) of \(share.count)"
    return Array(SHA256.digest(of: Array(text.utf8)).bytes.prefix(16))
  }

  /// Makes the shard's data folder at `part`; returns how many users it has, and its ledger's id.
  private func divide(into part: DataDirectory) throws -> (users: Int, ledger: String) {
    let reader = try LedgerReader.open(backup.directory)
    var reading = SharedReading(
      reader: reader, configuration: configuration, environment: environment)
    reading.isWanted = { [share] in share.holds($0) }
    let portions = try reading.read(ClosePortions()).portions
    let sinks = try backup.sinks.map { name in
      (name, settled: try RelayLog.read(name, in: backup.directory).firstUnsettled)
    }
    let writing = try PartWriter(
      part, identity: identity, genesis: Self.genesis(of: reader), environment,
      seams: Set(sinks.map(\.settled)))
    defer { writing.store.close() }
    try writing.write(
      reader,
      LedgerDivision(holds: { [share] in share.holds($0) }, isFirst: share.number == 0, portions),
      of: .share(0, of: 1).among(reading.isWanted),
      ending: OperatorRecord(
        act: .bringIn, subject: backup.ledger,
        what: "users of shard \(share.number) of \(share.count), up to \(backup.head)",
        reason: "divided among shards", actor: environment.actor),
      at: backup.madeAt)
    for (name, settled) in sinks {
      try begin(name, at: writing.head(through: settled), in: part, writing.store.report.ledger)
    }
    try takeFiles(to: part)
    return (writing.users.count, writing.store.report.ledger)
  }

  private static func genesis(of reader: LedgerReader) throws -> Record? {
    var first: Record?
    try reader.readRecords(ofTypes: [.genesis]) { first = first ?? $0 }
    return first
  }

  /// Begins the log of a sink that has been served up to `head`.
  private func begin(
    _ sink: String, at head: LedgerHead, in part: DataDirectory, _ ledger: String
  ) throws {
    let log = try RelayLog.open(
      sink, in: part, .init(ledger: ledger, program: "rewards \(ProgramVersion.text)"),
      now: backup.madeAt)
    try log.commit([.cursor(head)], at: backup.madeAt)
    try log.close()
  }

  /// Takes over what waits in the inbox, and the looks at this shard's users.
  private func takeFiles(to part: DataDirectory) throws {
    try backup.putFiles(into: part)
    let journal = LookJournal(part)
    var entries: [LookEntry] = []
    let found = try journal.read { if share.holds($0.user) { entries.append($0) } }
    if !entries.isEmpty || found.inboxThrough != nil {
      try journal.write(entries, inboxThrough: found.inboxThrough)
    }
  }
}
