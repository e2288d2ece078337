public import Files
internal import Ledger

extension SealedLog {
  /// Opens the chain of segments in `folder` for writing, or begins one; the caller sees to it that nobody else does.
  ///
  /// Checks the last segment only, cuts off what no seal commits there and keeps it in `stateFolder`. A chain without
  /// lines must be begun with a genesis.
  public static func open(
    folder: String, stateFolder: String, segmentLimitBytes: Int = 256 << 20,
    fileSystem: any FileSystem = WorkingFiles.system
  ) throws(LedgerError) -> (log: SealedLog, cut: OpeningReport.Cut?) {
    let fileSystem = SegmentFileSystem(fileSystem)
    do {
      let segments = try SegmentFile.list(in: folder, fileSystem).segments
      var start = ChainStart()
      if segments.count > 1 {
        let before = segments[segments.count - 2]
        let seal = try fileSystem.reading(before.path) { file in
          try SealSearch(fileSystem: fileSystem).seal(
            in: file, endingAt: try fileSystem.size(of: file))
        }
        start.segment = segments.count - 1
        start.place.state = seal?.state ?? .origin
      }
      let opening = LogOpening(
        folder: folder, stateFolder: stateFolder, segmentLimitBytes: segmentLimitBytes,
        fileSystem: fileSystem, monotonicSeconds: { 0 })
      let opened = try opening.open(segments, from: start, heads: [])
      return (opened.log, opened.cut)
    } catch {
      throw LedgerError(any: error)
    }
  }
}
