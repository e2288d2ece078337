public import Files
public import Ledger

/// Puts a backup into an empty data folder. Blocks.
///
/// While it works, a file `restoring` stands in the data folder, and nobody opens a ledger there: half a ledger would look
/// like a whole, older one. Cut short, it is repeated; when the backup is damaged, all that it wrote is taken away again.
public struct LedgerRestore: Sendable {
  /// What was restored.
  public struct Report: Equatable, Sendable {
    /// The ledger's id.
    public let ledger: String
    /// Its last seal.
    public let head: LedgerHead
    /// When the backup was made, as text of an instant.
    public let madeAt: String
    /// Lines that were checked.
    public let checkedRecords: Int
  }

  private let folder: String
  private let target: DataDirectory
  private let fileSystem: any FileSystem

  /// A restore of the backup in `folder` into `target`.
  public init(
    _ folder: String, into target: DataDirectory, fileSystem: any FileSystem = WorkingFiles.system
  ) {
    self.folder = DataDirectory(folder).path
    self.target = target
    self.fileSystem = fileSystem
  }

  /// Restores; throws ``LedgerError`` and leaves what is in the data folder alone when there is anything.
  ///
  /// Unless `isInboxComplete`, nothing having been handed in since the backup, the inbox is marked: see ``InboxGap``.
  public func run(
    command: String, isInboxComplete: Bool = false
  ) throws(LedgerError) -> Report {
    do {
      let manifest = try BackupFolder.finishedManifest(in: folder, fileSystem)
      return try locked(command) { try restore(manifest, isInboxComplete) }
    } catch {
      throw LedgerError(any: error)
    }
  }

  /// Leaves the mark of an unfinished restore in `target`, which must be empty, so that nobody begins a ledger there before
  /// one is restored. `note` says for what; throws ``LedgerError`` where it has been left for something else. Blocks.
  public static func claim(
    _ target: DataDirectory, for note: String, command: String,
    fileSystem: any FileSystem = WorkingFiles.system
  ) throws(LedgerError) {
    do {
      let restore = LedgerRestore(note, into: target, fileSystem: fileSystem)
      try restore.locked(command) {
        let left = try Self.claim(on: target, fileSystem: fileSystem)
        guard left ?? note == note else {
          throw LedgerError(
            .refused, place: target.path, cause: "it is to hold something else: \(left ?? "")",
            remedy: "finish that, or name another with --data")
        }
        try restore.mark(note)
      }
    } catch {
      throw LedgerError(any: error)
    }
  }

  /// For what the mark of an unfinished restore was left in `target`; nil without one. Blocks.
  public static func claim(
    on target: DataDirectory, fileSystem: any FileSystem = WorkingFiles.system
  ) throws -> String? {
    try fileSystem.readWholeIfPresent(target.restoring).map {
      String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self)
    }
  }

  /// Calls `body` as the one writer of a data folder that is empty, or bears the mark of an unfinished restore.
  private func locked<Result>(_ command: String, _ body: () throws -> Result) throws -> Result {
    func requireEmptyOrUnfinished() throws {
      if try !target.has(target.restoring, fileSystem) { try requireEmpty() }
    }
    try requireEmptyOrUnfinished()
    try target.create(in: fileSystem)
    let lock = try WriterLock(target, command: command, in: fileSystem)
    return try withExtendedLifetime(lock) {
      // Somebody may have begun a ledger meanwhile, or finished what was unfinished.
      try requireEmptyOrUnfinished()
      return try body()
    }
  }

  private func mark(_ note: String) throws {
    try fileSystem.createDurably(target.restoring, in: target.path, [Array("\(note)\n".utf8)])
  }

  private func restore(_ manifest: BackupManifest, _ isInboxComplete: Bool) throws -> Report {
    guard let end = manifest.chains["ledger"], let madeAt = manifest.madeAt else {
      throw BackupFolder.unfinished(folder)
    }
    // A claim goes on saying for what.
    if try !target.has(target.restoring, fileSystem) { try mark(folder) }
    _ = try empty()
    var checked = 0
    do {
      try BackupFiles(folder: folder, fileSystem: fileSystem).restore(manifest.files, to: target)
      for (name, mark) in manifest.chains.sorted(by: { $0.key < $1.key }) {
        _ = try fileSystem.makeFolder("\(target.path)/\(name)")
        let copy = ChainCopy(target: "\(target.path)/\(name)", fileSystem: fileSystem)
        checked += try copy.restore(from: "\(folder)/\(name)", upTo: mark).checkedRecords
      }
      try fileSystem.syncFolder(target.relay)
      let gap = InboxGap(target, fileSystem: fileSystem)
      if isInboxComplete { try gap.end() } else { try gap.leave(since: madeAt) }
    } catch {
      // Best effort: while anything is left, the mark of the unfinished restore stays, and nobody opens it.
      if (try? empty()) == true { try? fileSystem.remove(target.restoring) }
      throw error
    }
    try fileSystem.remove(target.restoring)
    try fileSystem.syncFolder(target.path)
    return Report(
      ledger: manifest.ledger, head: end.head, madeAt: madeAt, checkedRecords: checked)
  }

  private func requireEmpty() throws {
    guard let found = try target.firstContent(in: fileSystem) else { return }
    throw LedgerError(
      .refused, place: found, cause: "the data folder is not empty, and nothing is overwritten",
      remedy: "move it away, or name another with --data DIR")
  }

  /// Takes away what an unfinished restore has written; whether all of it is gone.
  ///
  /// What is committed to a database's chain stays; the same bytes are taken there once more.
  private func empty() throws -> Bool {
    let sinks = try fileSystem.names(in: target.relay).map { target.relay(sink: $0) }
    var isEmpty = true
    try InboxGap(target, fileSystem: fileSystem).end()
    for folder in [target.ledger, target.looks, target.incoming] + sinks {
      for name in try fileSystem.names(in: folder) {
        do throws(FileError) {
          try fileSystem.remove("\(folder)/\(name)")
        } catch {
          guard error.isPermanent else { throw error }
          isEmpty = false
        }
      }
    }
    return isEmpty
  }
}
