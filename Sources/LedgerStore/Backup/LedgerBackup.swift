public import CivilTime
internal import Digests
public import Files
public import Ledger

/// Copies a data folder's ledger, and what goes with it, into a backup folder: consistent, and only what is new.
///
/// A service may write meanwhile: the copy ends with a seal. What depends on the ledger (looks, where sinks stand) is copied
/// before it, so that the copy never knows of something that its ledger has not. Replacing `backup.json` at the very end is
/// what counts: cut short anywhere, the last backup is still there, and the next one goes on. Blocks.
public struct LedgerBackup: Sendable {
  /// What a backup did.
  public struct Report: Equatable, Sendable {
    /// The ledger's id.
    public let ledger: String
    /// The last seal in the backup.
    public let head: LedgerHead
    /// Bytes that were copied.
    public internal(set) var copiedBytes = 0
    /// Lines that were read again in the copy and found right.
    public internal(set) var checkedRecords = 0
    /// Sinks of which something is in the backup.
    public internal(set) var sinks: [String] = []
    /// Other files in it: the looks of open days, what sinks have, and what waits in the inbox.
    public internal(set) var files = 0
  }

  private let source: DataDirectory
  private let folder: String
  private let shard: String?
  private let fileSystem: any FileSystem

  /// A backup of `source` into the folder `target`, which is made when it is missing; `shard` says, as `1 of 4`, which of
  /// several ledgers it is.
  public init(
    _ source: DataDirectory, into target: String, shard: String? = nil,
    fileSystem: any FileSystem = WorkingFiles.system
  ) {
    self.source = source
    self.shard = shard
    folder = DataDirectory(target).path
    self.fileSystem = fileSystem
  }

  /// Makes the backup; `isFull` checks all of it again, not only what is new. Throws ``LedgerError``.
  public func run(now: Instant, command: String, isFull: Bool = false) throws(LedgerError) -> Report
  {
    do {
      let reader = try LedgerReader.open(source, fileSystem: fileSystem)
      try prepareFolder()
      let lock = try WriterLock(DataDirectory(folder), command: command)
      return try withExtendedLifetime(lock) { try run(reader, now: now, isFull: isFull) }
    } catch {
      throw LedgerError(any: error)
    }
  }

  private func run(_ first: LedgerReader, now: Instant, isFull: Bool) throws -> Report {
    let before = try manifest(for: first.ledger)
    for name in ["ledger", BackupFiles.name] {
      _ = try fileSystem.makeFolder("\(folder)/\(name)")
    }
    try fileSystem.syncFolder(folder)
    var manifest = BackupManifest(ledger: first.ledger)
    manifest.shard = shard
    let store = BackupFiles(folder: folder, fileSystem: fileSystem)
    manifest.files = try store.add(source, after: isFull ? [:] : before.files)
    // Opened last: all that was copied before this is in it.
    let reader = try LedgerReader.open(source, fileSystem: fileSystem)
    let outcome = try ChainCopy(target: "\(folder)/ledger", fileSystem: fileSystem)
      .update(from: reader, after: before.chains["ledger"], isFull: isFull)
    manifest.chains["ledger"] = outcome.mark
    manifest.madeAt = now.truncatedToMilliseconds.description
    try write(manifest)
    try store.keepOnly(manifest.files)
    try store.layOutSinks(manifest.files)
    // Older versions kept chains of sinks.
    for name in before.chains.keys where manifest.chains[name] == nil {
      try ChainCopy(target: "\(folder)/\(name)", fileSystem: fileSystem)
        .removeSegments(behind: 0)
    }
    return Report(
      ledger: reader.ledger, head: reader.head, copiedBytes: outcome.copiedBytes,
      checkedRecords: outcome.checkedRecords, sinks: manifest.sinks, files: manifest.files.count)
  }

  private func prepareFolder() throws {
    let isNew = try fileSystem.makeFolder(folder)
    if isNew { try fileSystem.syncFolder(FolderPath.parent(of: folder)) }
    let names = try fileSystem.names(in: folder)
    // What a first backup leaves that was cut short at once.
    let own: Set = ["lock", BackupManifest.name + ".tmp"]
    guard names.contains(BackupManifest.name) || own.isSuperset(of: names) else {
      throw LedgerError(
        .refused, place: folder, cause: "it holds other things and is no backup",
        remedy: "name an empty or a new folder")
    }
  }

  /// What the last backup holds; begins one where there is none.
  private func manifest(for ledger: String) throws -> BackupManifest {
    if let manifest = try BackupFolder.manifest(in: folder, fileSystem) {
      guard manifest.ledger == ledger else {
        throw LedgerError(
          .refused, place: folder,
          cause: "it is a backup of the ledger \(manifest.ledger), and this is \(ledger)",
          remedy: "name a folder of its own for each ledger")
      }
      return manifest
    }
    let manifest = BackupManifest(ledger: ledger)
    try write(manifest)
    return manifest
  }

  private func write(_ manifest: BackupManifest) throws {
    try fileSystem.createDurably(
      "\(folder)/\(BackupManifest.name)", in: folder, [manifest.text])
  }
}
