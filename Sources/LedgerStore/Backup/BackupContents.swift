public import CivilTime
public import Files
public import Ledger

/// What a finished backup holds, for whoever makes something else of it than the ledger that it was made of.
public struct BackupContents: Sendable {
  /// The ledger's id.
  public let ledger: String
  /// Its last seal.
  public let head: LedgerHead
  /// When it was made.
  public let madeAt: Instant
  /// The sinks of which the backup has something, in order.
  public let sinks: [String]
  /// Which of several ledgers it is, as `1 of 4`; nil for one that has all users.
  public let shard: String?
  /// The folder.
  public let folder: String
  private let manifest: BackupManifest
  private let fileSystem: any FileSystem

  /// What the backup in `folder` holds; throws ``LedgerError`` when it is none, or was never finished. Blocks.
  public init(
    _ folder: String, fileSystem: any FileSystem = WorkingFiles.system
  ) throws(LedgerError) {
    self.folder = DataDirectory(folder).path
    self.fileSystem = fileSystem
    do {
      manifest = try BackupFolder.finishedManifest(in: self.folder, fileSystem)
      madeAt = try InstantText.parse(manifest.madeAt ?? "").instant
    } catch {
      throw LedgerError(any: error)
    }
    ledger = manifest.ledger
    shard = manifest.shard
    head = manifest.chains["ledger"]?.head ?? .origin
    sinks = manifest.sinks
  }

  /// Puts the looks of open days, and what waited in the inbox, where they belong in `target`, which has its folders; what sinks
  /// have is left out. Blocks.
  public func putFiles(into target: DataDirectory) throws {
    try BackupFiles(folder: folder, fileSystem: fileSystem).restore(
      manifest.files.filter { !$0.key.hasPrefix("relay/") }, to: target)
  }
}
