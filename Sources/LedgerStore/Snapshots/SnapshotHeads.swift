public import CivilTime
public import Ledger

/// The heads of a data folder's snapshots, which are known outside the ledger's own files.
public enum SnapshotHeads {
  /// Returns the heads of the whole snapshots that belong to this ledger; none if there is no ledger. Blocks.
  public static func read(_ directory: DataDirectory) -> [LedgerHead] {
    found(directory).map(\.header.head)
  }

  /// Returns the head and payload of this ledger's newest whole snapshot, or of the newest whose head was recorded before
  /// `instant`; nil if there is none. Blocks.
  public static func newest(
    _ directory: DataDirectory, before instant: Instant? = nil
  ) -> (head: LedgerHead, payload: [UInt8])? {
    let snapshots = SnapshotFolder(folder: directory.state, fileSystem: directory.files)
    guard let newest = found(directory, before: instant).first,
      let payload = try? snapshots.payload(of: newest)
    else { return nil }
    return (newest.header.head, payload)
  }

  private static func found(
    _ directory: DataDirectory, before instant: Instant? = nil
  ) -> [SnapshotFolder.Found] {
    let segments = SegmentFileSystem(directory.files)
    let snapshots = SnapshotFolder(folder: directory.state, fileSystem: directory.files)
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
