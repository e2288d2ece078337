package import CivilTime
package import Ledger

/// The heads of a data folder's snapshots, which are known outside the ledger's own files.
package enum SnapshotHeads {
  /// Returns the heads of the whole snapshots that belong to this ledger; none if there is no ledger. Blocks.
  package static func read(_ directory: DataDirectory) -> [LedgerHead] {
    let segments = SegmentFileSystem(directory.files)
    let snapshots = SnapshotFolder(folder: directory.state, fileSystem: directory.files)
    guard let first = try? SegmentFile.list(in: directory.ledger, segments).segments.first,
      let genesis = try? Genesis.read(first, segments), let found = try? snapshots.newest().found
    else { return [] }
    return found.map(\.header).filter { $0.ledger == genesis.ledger }.map(\.head)
  }
}

extension LedgerReader {
  /// Returns the head and payload of this ledger's newest whole snapshot that reaches no further than ``head`` or, with
  /// `instant`, of the newest whose head was recorded before it; nil if there is none.
  ///
  /// Says nothing about whether the lines hold that head. Blocks.
  package func newestSnapshot(
    before instant: Instant? = nil
  ) throws(LedgerError) -> (head: LedgerHead, payload: [UInt8])? {
    do {
      return try snapshots?.newest(of: ledger, through: head.seq, before: instant)
    } catch {
      throw LedgerError(any: error)
    }
  }
}
