internal import Digests
internal import Foundations
internal import Glibc
internal import Ledger

/// Reads the manifest of a backup folder.
enum BackupFolder {
  /// Returns the error for a folder whose first backup was cut short: half a ledger looks like a complete, older one.
  static func unfinished(_ folder: String) -> LedgerError {
    LedgerError(
      .refused, place: folder, cause: "the first backup into it was never finished",
      remedy: "name another backup, or finish this one: `rewards ledger backup \(folder)`")
  }

  /// Returns the manifest of a backup that can be restored; throws ``LedgerError`` if there is none.
  static func finishedManifest(
    in folder: String, _ fileSystem: any FileSystem
  ) throws -> BackupManifest {
    guard let manifest = try manifest(in: folder, fileSystem) else {
      throw LedgerError(
        .missing, place: folder, cause: "it is not a backup: it has no \(BackupManifest.name)",
        remedy: "name the folder that rewards ledger backup wrote")
    }
    guard manifest.madeAt != nil, manifest.chains["ledger"] != nil else { throw unfinished(folder) }
    return manifest
  }

  /// Returns the manifest, or nil if there is none; throws ``LedgerError`` if it is damaged.
  static func manifest(
    in folder: String, _ fileSystem: any FileSystem
  ) throws -> BackupManifest? {
    let path = "\(folder)/\(BackupManifest.name)"
    let text: [UInt8]
    do {
      text = try fileSystem.reading(path) { file in
        try fileSystem.bytes(
          of: file, in: 0..<min(BackupManifest.limitBytes, try fileSystem.size(of: file)))
      }
    } catch let error as FileError where error.isMissing {
      return nil
    }
    if let manifest = BackupManifest(text) { return manifest }
    let damage = Damage(
      kind: .headMissing, segment: BackupManifest.name, line: 1, byte: 0,
      what: "it is damaged, or a newer version wrote it")
    throw LedgerError(
      .damaged([damage]), place: path, cause: damage.what,
      remedy: "use the version that wrote it, or make a backup in a new, empty folder")
  }
}

/// The files of a backup that are not chains, stored by digest: polls of open days, the sinks' positions and
/// deliveries, and waiting inbox files.
struct BackupFiles {
  static let name = "files"

  let folder: String
  let fileSystem: any FileSystem

  private var store: String { "\(folder)/\(Self.name)" }

  /// Copies the files that are not there yet and returns each file's digest by its path in the data folder. Skips logs
  /// that are still as long as in `before`.
  ///
  /// A file that disappears meanwhile was taken into the ledger, which is copied later. Oddities are left to the inbox.
  func add(_ source: DataDirectory, after before: [String: Digest]) throws -> [String: Digest] {
    var digests: [String: Digest] = [:]
    var paths = ["state/looks/looks"] + (try sinkFiles(source))
    for inbox in try source.inboxes() {
      let folder = String(inbox.incoming.dropFirst(source.path.count + 1))
      paths += try names(in: inbox.incoming).map { "\(folder)/\($0)" }
    }
    for path in paths {
      let place = "\(source.path)/\(path)"
      if let digest = before[path], try isGrowing(path) && size(place) == size("\(store)/\(digest)")
      {
        digests[path] = digest
      } else {
        digests[path] = try copy(place)
      }
    }
    try fileSystem.syncFolder(store)
    return digests
  }

  /// Copies a file; returns nil if it is gone, or is an oddity.
  private func copy(_ place: String) throws -> Digest? {
    for _ in 0..<8 {
      do {
        return try FileCopy(fileSystem: fileSystem).copy(
          place, to: { "\(store)/\($0)" }, in: store)
      } catch let error as FileError where error.isOddity {
        return nil
      } catch let error as FileError where error.isMissing {
        // In a database, an opened file may be replaced before it is read.
        let folder = FolderPath.parent(of: place)
        if try !names(in: folder).contains(where: { "\(folder)/\($0)" == place }) { return nil }
      }
    }
    throw FileError(operation: "copy a file that keeps being replaced", path: place, code: EAGAIN)
  }

  /// Returns the files of the sinks' folders. Each sink's position comes first, because whatever was sent after it is
  /// sent again.
  private func sinkFiles(_ source: DataDirectory) throws -> [String] {
    try names(in: source.relay).flatMap { sink in
      let names = try names(in: source.relay(sink: sink))
      let first = [DataDirectory.SinkFile.progress, DataDirectory.SinkFile.deadLetters].filter(
        names.contains)
      return (first + names.filter { !first.contains($0) }).map { "relay/\(sink)/\($0)" }
    }
  }

  private func names(in folder: String) throws -> [String] {
    try fileSystem.namesIfPresent(in: folder)
      .filter { !$0.hasPrefix(".") && !$0.hasSuffix(".tmp") }.sorted()
  }

  /// Returns whether a file only ever grows.
  private func isGrowing(_ path: String) -> Bool {
    path.hasPrefix("relay/") && path.hasSuffix(DataDirectory.SinkFile.linesEnd)
      && path.contains("/\(DataDirectory.SinkFile.attemptsStart)")
  }

  private func size(_ path: String) throws -> Int {
    try fileSystem.reading(path) { try fileSystem.size(of: $0) }
  }

  /// Removes the files that are no longer in the manifest.
  func prune(keeping files: [String: Digest]) throws {
    let wanted = Set(files.values.map(\.description))
    for name in try fileSystem.names(in: store) where !wanted.contains(name) {
      try fileSystem.remove("\(store)/\(name)")
    }
  }

  /// Copies each sink's position and dead letters to where they belong in a data folder, so that the backup can be read
  /// as one.
  func layOutSinks(_ files: [String: Digest]) throws {
    for (path, digest) in files where path.hasPrefix("relay/") {
      if isGrowing(path) { continue }
      let parent = FolderPath.parent(of: "\(folder)/\(path)")
      for made in ["\(folder)/relay", parent] { _ = try fileSystem.makeFolder(made) }
      _ = try FileCopy(fileSystem: fileSystem).copy(
        "\(store)/\(digest)", to: { _ in "\(folder)/\(path)" }, in: parent, expected: digest)
    }
  }

  /// Copies the files back to where they belong.
  func restore(_ files: [String: Digest], to target: DataDirectory) throws {
    for (path, digest) in files.sorted(by: { $0.key < $1.key }) {
      let place = "\(target.path)/\(path)"
      let folder = FolderPath.parent(of: place)
      // A source's inbox is a folder in a folder.
      for missing in [FolderPath.parent(of: folder), folder]
      where try fileSystem.makeFolder(missing) {
        try fileSystem.syncFolder(FolderPath.parent(of: missing))
      }
      _ = try FileCopy(fileSystem: fileSystem).copy(
        "\(store)/\(digest)", to: { _ in place }, in: folder, expected: digest)
      try fileSystem.syncFolder(folder)
    }
  }
}
