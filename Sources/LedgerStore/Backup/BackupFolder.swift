internal import Digests
internal import Files
internal import Ledger

/// Reads what a folder says of the backup that it holds.
enum BackupFolder {
  /// What is wrong with a folder whose first backup was cut short: half a ledger looks like a whole, older one.
  static func unfinished(_ folder: String) -> LedgerError {
    LedgerError(
      .refused, place: folder, cause: "the first backup in it was never finished",
      remedy: "name another backup, or finish this one: `rewards ledger backup \(folder)`")
  }

  /// The manifest of a backup that can be put back; throws ``LedgerError`` where there is none.
  static func finishedManifest(
    in folder: String, _ fileSystem: any FileSystem
  ) throws -> BackupManifest {
    guard let manifest = try manifest(in: folder, fileSystem) else {
      throw LedgerError(
        .missing, place: folder, cause: "it is no backup: it has no \(BackupManifest.name)",
        remedy: "name the folder that rewards ledger backup wrote")
    }
    guard manifest.madeAt != nil, manifest.chains["ledger"] != nil else { throw unfinished(folder) }
    return manifest
  }

  /// The manifest, nil where there is none; throws ``LedgerError`` when it is damaged.
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

/// The files of a backup that are no chains: the looks of open days and what waits in the inbox, kept under their digests.
struct BackupFiles {
  static let name = "files"

  let folder: String
  let fileSystem: any FileSystem

  private var store: String { "\(folder)/\(Self.name)" }

  /// Copies what is not there yet; returns the digest of each file by its path in the data folder.
  ///
  /// A file that goes away meanwhile was taken into the ledger, which is copied later. Oddities are left to the inbox.
  func add(_ source: DataDirectory) throws -> [String: Digest] {
    var digests: [String: Digest] = [:]
    var paths = ["state/looks/looks"]
    paths += try fileSystem.namesIfPresent(in: source.incoming)
      .filter { !$0.hasPrefix(".") && !$0.hasSuffix(".tmp") }.sorted()
      .map { "inbox/incoming/\($0)" }
    for path in paths {
      do {
        digests[path] = try FileCopy(fileSystem: fileSystem).copy(
          "\(source.path)/\(path)", to: { "\(store)/\($0)" }, in: store)
      } catch let error as FileError where error.isMissing || error.isOddity {
        continue
      }
    }
    try fileSystem.syncFolder(store)
    return digests
  }

  /// Removes what no file of the manifest is any more.
  func keepOnly(_ files: [String: Digest]) throws {
    let wanted = Set(files.values.map(\.description))
    for name in try fileSystem.names(in: store) where !wanted.contains(name) {
      try fileSystem.remove("\(store)/\(name)")
    }
  }

  /// Puts the files back where they belong.
  func restore(_ files: [String: Digest], to target: DataDirectory) throws {
    for (path, digest) in files.sorted(by: { $0.key < $1.key }) {
      let place = "\(target.path)/\(path)"
      let folder = FolderPath.parent(of: place)
      _ = try FileCopy(fileSystem: fileSystem).copy(
        "\(store)/\(digest)", to: { _ in place }, in: folder, expected: digest)
      try fileSystem.syncFolder(folder)
    }
  }
}
