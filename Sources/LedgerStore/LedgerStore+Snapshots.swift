package import CivilTime
package import Ledger

extension LedgerStore {
  /// Writes a snapshot for `head`, a seal of this ledger. Blocks.
  ///
  /// Keeps the newest two snapshots and the first of each of the last twelve months by `recordedAt`, the time of the head's
  /// record. On return the snapshot is complete and on disk under its name.
  package func writeSnapshot(
    payload: [UInt8], at head: LedgerHead, recordedAt: Instant? = nil
  ) throws(LedgerError) {
    let folder = configuration.directory.ledger
    do {
      let segments = try SegmentFile.list(in: folder, fileSystem).segments
      guard let segment = segments.last(where: { $0.firstSeq <= head.seq }),
        let place = try SealSearch(fileSystem: fileSystem).seal(head, in: segment)
      else {
        throw LedgerError(
          .headMissing, place: folder, cause: "the ledger has no seal \(head)",
          remedy: "take a snapshot at a head that a commit reported")
      }
      let header = SnapshotHeader(
        ledger: report.ledger, head: head, at: recordedAt, segment: segment.name,
        endByte: place.endByte, lines: place.lines, payload: payload)
      try snapshots.write(header, payload: payload)
    } catch {
      throw LedgerError(any: error)
    }
  }

  var snapshots: SnapshotFolder {
    SnapshotFolder(folder: configuration.directory.state, fileSystem: fileSystem)
  }
}
