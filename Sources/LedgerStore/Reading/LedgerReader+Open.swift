package import Foundations
internal import Ledger

extension LedgerReader {
  /// Opens a ledger for reading up to its last seal, whether or not a service is writing to it.
  ///
  /// Finds the last seal by its form and checks nothing before it: that is the job of a verification.
  package static func open(_ directory: DataDirectory) throws(LedgerError) -> LedgerReader {
    try directory.requireWhole()
    var reader = try open(folder: directory.ledger, fileSystem: directory.files)
    reader.indexes = SegmentIndexes(directory, reader.fileSystem)
    reader.snapshots = SnapshotFolder(folder: directory.state, fileSystem: directory.files)
    return reader
  }

  /// Opens the chain of segments in `folder`, like ``open(_:)``.
  package static func open(
    folder: String, fileSystem: any FileSystem
  ) throws(LedgerError) -> LedgerReader {
    let fileSystem = SegmentFileSystem(fileSystem)
    let segments = try SegmentFile.list(in: folder, fileSystem).segments
    do {
      for segment in segments.reversed() {
        let seal = try fileSystem.reading(segment.path) { file in
          try SealSearch(fileSystem: fileSystem).last(
            in: file, before: try fileSystem.size(of: file))
        }
        guard let seal, let first = segments.first else { continue }
        return LedgerReader(
          ledger: try Genesis.read(first, fileSystem).ledger, head: seal.state.head,
          folder: folder, fileSystem: fileSystem, lastSegment: segment, endByte: seal.endByte)
      }
    } catch {
      throw LedgerError(any: error)
    }
    throw LedgerError(
      .missing, place: folder, cause: "there is no ledger",
      remedy: "check the data folder; `rewards serve` creates a ledger")
  }
}
