internal import Foundations
package import Ledger

/// Restores a backup into an empty data folder. Blocks.
///
/// While it works, the data folder contains a file `restoring`, and no ledger can be opened there: half a ledger would look like
/// a complete, older one. If cut short, it can be repeated; if the backup is damaged, it removes everything it wrote.
package struct LedgerRestore: Sendable {
  /// The result of a restore.
  package struct Report: Equatable, Sendable {
    /// The ledger's id.
    package let ledger: String
    /// Its last seal.
    package let head: LedgerHead
    /// When the backup was made, as text of an instant.
    package let madeAt: String
    /// The number of lines checked.
    package let checkedRecords: Int
  }

  private let folder: String
  private let target: DataDirectory
  private let fileSystem: any FileSystem

  /// Creates a restore of the backup in `folder` into `target`.
  package init(_ folder: String, into target: DataDirectory) {
    self.folder = DataDirectory(folder, in: target.files).path
    self.target = target
    fileSystem = target.files
  }

  /// Restores the backup; throws ``LedgerError`` and changes nothing if the data folder is not empty.
  ///
  /// Marks the inbox (see ``InboxGap``) unless `isInboxComplete`, which means that nothing has been handed in since the backup.
  package func run(
    command: String, isInboxComplete: Bool = false
  ) throws(LedgerError) -> Report {
    do {
      let manifest = try BackupFolder.finishedManifest(in: folder, fileSystem)
      return try locked(command) { try restore(manifest, isInboxComplete) }
    } catch {
      throw LedgerError(any: error)
    }
  }

  /// Marks `target`, which must be empty, as an unfinished restore, so that no ledger is begun there before one is restored.
  /// Blocks.
  ///
  /// `note` states the purpose. Throws ``LedgerError`` if the mark already exists for another purpose.
  package static func claim(
    _ target: DataDirectory, for note: String, command: String
  ) throws(LedgerError) {
    do {
      let restore = LedgerRestore(note, into: target)
      try restore.locked(command) {
        let left = try Self.claim(on: target)
        guard left ?? note == note else {
          throw LedgerError(
            .refused, place: target.path, cause: "it is reserved for something else: \(left ?? "")",
            remedy: "finish that, or name another folder with --data")
        }
        try restore.mark(note)
      }
    } catch {
      throw LedgerError(any: error)
    }
  }

  /// Returns the purpose of the unfinished restore that `target` is marked for; nil if it is not marked. Blocks.
  package static func claim(on target: DataDirectory) throws -> String? {
    try target.files.readWholeIfPresent(target.restoring).map {
      String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self)
    }
  }

  /// Calls `body` as the only writer of a data folder that is empty or marked as an unfinished restore.
  private func locked<Result>(_ command: String, _ body: () throws -> Result) throws -> Result {
    func requireEmptyOrUnfinished() throws {
      if try !target.has(target.restoring) { try requireEmpty() }
    }
    try requireEmptyOrUnfinished()
    try target.create()
    let lock = try WriterLock(target, command: command)
    return try withExtendedLifetime(lock) {
      // Another process may have begun a ledger meanwhile, or finished the restore.
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
    // An existing claim keeps its note.
    if try !target.has(target.restoring) { try mark(folder) }
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
      let gap = InboxGap(target)
      if isInboxComplete { try gap.end() } else { try gap.leave(since: madeAt) }
    } catch {
      // Best effort: while anything is left, the mark of the unfinished restore stays and prevents opening.
      if (try? empty()) == true { try? fileSystem.remove(target.restoring) }
      throw error
    }
    try fileSystem.remove(target.restoring)
    try fileSystem.syncFolder(target.path)
    return Report(
      ledger: manifest.ledger, head: end.head, madeAt: madeAt, checkedRecords: checked)
  }

  private func requireEmpty() throws {
    guard let found = try target.firstContent() else { return }
    throw LedgerError(
      .refused, place: found, cause: "the data folder is not empty; nothing was overwritten",
      remedy: "move it away, or name another with --data DIR")
  }

  /// Removes what an unfinished restore wrote; returns whether all of it is gone.
  ///
  /// Lines committed to a database's chain stay; writing the same bytes there again is accepted.
  private func empty() throws -> Bool {
    let sinks = try fileSystem.names(in: target.relay).map { target.relay(sink: $0) }
    var isEmpty = true
    try InboxGap(target).end()
    let arriving = try target.inboxes().map(\.incoming)
    for folder in [target.ledger, target.looks] + arriving + sinks {
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
