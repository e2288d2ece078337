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

  /// The head and the bytes of the newest whole snapshot of this ledger; nil when there is none. Blocks.
  public static func newest(
    _ directory: DataDirectory, fileSystem: any FileSystem = WorkingFiles.system
  ) -> (head: LedgerHead, payload: [UInt8])? {
    let snapshots = SnapshotFolder(folder: directory.state, fileSystem: fileSystem)
    guard let newest = found(directory, fileSystem).first,
      let payload = try? snapshots.payload(of: newest)
    else { return nil }
    return (newest.header.head, payload)
  }

  /// The same of the newest one whose head was recorded before `instant`. Blocks.
  public static func newest(
    _ directory: DataDirectory, before instant: Instant,
    fileSystem: any FileSystem = WorkingFiles.system
  ) -> (head: LedgerHead, payload: [UInt8])? {
    let snapshots = SnapshotFolder(folder: directory.state, fileSystem: fileSystem)
    guard let found = try? snapshots.newest(before: instant),
      let genesis = try? genesis(directory, fileSystem), found.header.ledger == genesis.ledger,
      let payload = try? snapshots.payload(of: found)
    else { return nil }
    return (found.header.head, payload)
  }

  private static func found(
    _ directory: DataDirectory, _ fileSystem: any FileSystem
  ) -> [SnapshotFolder.Found] {
    let snapshots = SnapshotFolder(folder: directory.state, fileSystem: fileSystem)
    guard let genesis = try? genesis(directory, fileSystem),
      let found = try? snapshots.newest().found
    else { return [] }
    return found.filter { $0.header.ledger == genesis.ledger }
  }

  private static func genesis(
    _ directory: DataDirectory, _ fileSystem: any FileSystem
  ) throws -> GenesisRecord? {
    let segments = SegmentFileSystem(fileSystem)
    return try SegmentFile.list(in: directory.ledger, segments).segments.first.flatMap {
      try Genesis.read($0, segments)
    }
  }
}
