package import CivilTime
internal import Digests
internal import Foundations
package import Ledger

/// Copies a data folder's ledger and related files into a backup folder, consistently and incrementally.
///
/// A service may be writing meanwhile: the copy ends with a seal. Files that depend on the ledger (polls, sinks'
/// positions) are copied before it, so that they never refer to lines that the copied ledger lacks. The backup counts
/// only once `backup.json` has been replaced at the very end: if it is cut short anywhere, the last backup is still
/// valid, and the next one continues. Blocks.
package struct LedgerBackup: Sendable {
  /// The result of a backup.
  package struct Report: Equatable, Sendable {
    /// The ledger's id.
    package let ledger: String
    /// The last seal in the backup.
    package let head: LedgerHead
    /// The number of bytes copied.
    package internal(set) var copiedBytes = 0
    /// Lines that were read back from the copy and found correct.
    package internal(set) var checkedRecords = 0
    /// Sinks that the backup has data for.
    package internal(set) var sinks: [String] = []
    /// Other files in it: polls of open days, the sinks' files and waiting inbox files.
    package internal(set) var files = 0
  }

  private let source: DataDirectory
  private let target: DataDirectory
  private let shard: String?
  private var folder: String { target.path }
  private var fileSystem: any FileSystem { target.files }

  /// Creates a backup of `source` into the folder `target`, which is created if missing. `shard` says which of several
  /// ledgers it is, as `1 of 4`.
  package init(
    _ source: DataDirectory, into target: String, shard: String? = nil
  ) {
    self.source = source
    self.shard = shard
    self.target = DataDirectory(target, in: source.files)
  }

  /// Makes the backup; `isFull` checks the whole copy again, not only the new part. Throws ``LedgerError``.
  package func run(now: Instant, command: String, isFull: Bool = false) throws(LedgerError)
    -> Report
  {
    do {
      let reader = try LedgerReader.open(source)
      try prepareFolder()
      let lock = try WriterLock(target, command: command)
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
    // Opened last: it contains everything that was copied before.
    let reader = try LedgerReader.open(source)
    let outcome = try ChainCopy(target: "\(folder)/ledger", fileSystem: fileSystem)
      .update(from: reader, after: before.chains["ledger"], isFull: isFull)
    manifest.chains["ledger"] = outcome.mark
    manifest.madeAt = now.truncatedToMilliseconds.description
    try write(manifest)
    try store.prune(keeping: manifest.files)
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
    // Left by a first backup that was cut short at once.
    let own: Set = ["lock", BackupManifest.name + ".tmp"]
    guard names.contains(BackupManifest.name) || own.isSuperset(of: names) else {
      throw LedgerError(
        .refused, place: folder, cause: "it is not empty, and not a backup",
        remedy: "name an empty or a new folder")
    }
  }

  /// Returns the last backup's manifest; a new one if there is none.
  private func manifest(for ledger: String) throws -> BackupManifest {
    if let manifest = try BackupFolder.manifest(in: folder, fileSystem) {
      guard manifest.ledger == ledger else {
        throw LedgerError(
          .refused, place: folder,
          cause: "it is a backup of the ledger \(manifest.ledger), but this ledger is \(ledger)",
          remedy: "use a separate folder for each ledger")
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
