package import CivilTime
internal import Foundations
package import Ledger

/// The contents of a finished backup, for converting it into something other than the original ledger.
package struct BackupContents: Sendable {
  /// The ledger's id.
  package let ledger: String
  /// Its last seal.
  package let head: LedgerHead
  /// When it was made.
  package let madeAt: Instant
  /// The sinks that the backup has data for, in order.
  package let sinks: [String]
  /// Which of several ledgers it is, as `1 of 4`; nil if it has all users.
  package let shard: String?
  /// The folder.
  package let folder: String
  private let manifest: BackupManifest
  private let fileSystem: any FileSystem

  /// Reads the backup in `folder`; throws ``LedgerError`` if there is none, or it was never finished. Blocks.
  package init(_ folder: DataDirectory) throws(LedgerError) {
    self.folder = folder.path
    fileSystem = folder.files
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

  /// Copies the polls of open days and the waiting inbox files to their places in `target`, whose folders exist; leaves
  /// out the sinks' files. Blocks.
  package func restoreFiles(into target: DataDirectory) throws {
    try BackupFiles(folder: folder, fileSystem: fileSystem).restore(
      manifest.files.filter { !$0.key.hasPrefix("relay/") }, to: target)
  }
}
