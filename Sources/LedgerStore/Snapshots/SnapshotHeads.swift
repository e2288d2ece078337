public import CivilTime
public import Files
public import Ledger

/// The heads that a data folder's snapshots stand for: known outside the ledger's own files.
public enum SnapshotHeads {
  /// The heads of the whole snapshots that belong to this ledger; none where there is no ledger. Blocks.
  public static func read(
    _ directory: DataDirectory, fileSystem: any FileSystem = WorkingFiles.system
  ) -> [LedgerHead] {
    found(directory, fileSystem).map(\.header.head)
  }

  /// The head and the bytes of the newest whole snapshot of this ledger, or of the newest one whose head was recorded before
  /// `instant`; nil when there is none. Blocks.
  public static func newest(
    _ directory: DataDirectory, before instant: Instant? = nil,
    fileSystem: any FileSystem = WorkingFiles.system
  ) -> (head: LedgerHead, payload: [UInt8])? {
    let snapshots = SnapshotFolder(folder: directory.state, fileSystem: fileSystem)
    guard let newest = found(directory, before: instant, fileSystem).first,
      let payload = try? snapshots.payload(of: newest)
    else { return nil }
    return (newest.header.head, payload)
  }

  private static func found(
    _ directory: DataDirectory, before instant: Instant? = nil, _ fileSystem: any FileSystem
  ) -> [SnapshotFolder.Found] {
    let segments = SegmentFileSystem(fileSystem)
    let snapshots = SnapshotFolder(folder: directory.state, fileSystem: fileSystem)
    guard let first = try? SegmentFile.list(in: directory.ledger, segments).segments.first,
      let genesis = try? Genesis.read(first, segments)
    else { return [] }
    let found: [SnapshotFolder.Found]? =
      if let instant {
        try? snapshots.newest(before: instant).map { [$0] }
      } else {
        try? snapshots.newest().found
      }
    return (found ?? []).filter { $0.header.ledger == genesis.ledger }
  }
}
