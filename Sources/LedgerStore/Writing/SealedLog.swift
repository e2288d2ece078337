internal import CivilTime
internal import Foundations
internal import Glibc
internal import Ledger

/// The writing end of a chain of sealed lines in segments: one batch, one seal, one write, one `fdatasync`.
///
/// After a failed call, the file's handle is never used again: the segment is reopened, cut back to the last synced seal, and
/// that seal is compared, before anything else is written. All calls block. Not thread-safe: it belongs to one thread.
final class SealedLog {
  /// The chain's state after the last batch on disk.
  private(set) var state: ChainState
  private let folder: String
  private let fileSystem: any FileSystem
  private let segmentLimitBytes: Int
  private var sealer = SealBuilder()
  private(set) var segment: SegmentFile
  /// The length of the segment up to the last synced seal.
  private(set) var sizeBytes: Int
  private var lastSeal: [UInt8]
  private var file: OpenFile?
  /// Whether the segment was moved or replaced, so that another process may be continuing it.
  private var isDisplaced = false
  let monotonicSeconds: @Sendable () -> Double
  /// How long the successful `fdatasync` calls of batches took, in seconds.
  private(set) var syncSeconds = Histogram()

  /// Creates a log that continues after `place` in `segment`; touches no file yet.
  init(
    folder: String, segment: SegmentFile, after place: SealPlace, lastSeal: [UInt8],
    segmentLimitBytes: Int, fileSystem: any FileSystem,
    monotonicSeconds: @escaping @Sendable () -> Double
  ) {
    self.monotonicSeconds = monotonicSeconds
    self.folder = folder
    self.segment = segment
    self.fileSystem = fileSystem
    self.segmentLimitBytes = segmentLimitBytes
    self.lastSeal = lastSeal
    state = place.state
    sizeBytes = place.endByte
  }

  deinit { close() }

  /// Seals `lines` and syncs them to disk; after an error none of them counts.
  ///
  /// `lines` holds `count` lines, numbered on from ``state`` and recorded at `at`; the seal is appended to them. They begin a new
  /// segment if `beginsSegment` is true, or if they do not fit.
  func commit(
    _ lines: inout [UInt8], count: Int, at: Instant, beginsSegment: Bool = false
  ) throws(FileError) -> LedgerHead {
    let linesEnd = lines.count
    let head = sealer.seal(
      &lines, count: count, seq: state.seq + UInt64(count) + 1, at: at, prev: state.head)
    do throws(FileError) {
      let file = try open(for: lines.count, beginsSegment)
      isDisplaced = !fileSystem.isInPlace(file)
      if isDisplaced { throw displacement }
      try fileSystem.writeAll(lines, to: file)
      let start = monotonicSeconds()
      try fileSystem.sync(file)
      syncSeconds.observe(monotonicSeconds() - start)
    } catch {
      close()
      throw error
    }
    sizeBytes += lines.count
    lastSeal = Array(lines[linesEnd...])
    state = ChainState(seq: head.seq, at: at, hash: head.hash)
    return head
  }

  /// Reopens the segment after a failure, cutting off what the failed call left behind.
  func recover() throws(FileError) { _ = try reopen() }

  /// Closes the file.
  func close() {
    if let file { fileSystem.close(file) }
    file = nil
  }

  /// Returns the file for the next `bytes`: the current segment, or a new one if they do not fit.
  private func open(for bytes: Int, _ beginsSegment: Bool) throws(FileError) -> OpenFile {
    let current = try reopen()
    guard sizeBytes > 0, beginsSegment || sizeBytes + bytes > segmentLimitBytes else {
      return current
    }
    close()
    segment = SegmentFile(firstSeq: state.seq + 1, in: folder)
    sizeBytes = 0
    lastSeal = []
    return try reopen()
  }

  private func reopen() throws(FileError) -> OpenFile {
    if isDisplaced { throw displacement }
    if let file { return file }
    let file = try fileSystem.open(segment.path, for: .append)
    do throws(FileError) {
      try cutBack(file)
      // The name may be new: it must be on disk before anything relies on it.
      try fileSystem.syncFolder(folder)
    } catch {
      fileSystem.close(file)
      throw error
    }
    self.file = file
    return file
  }

  private var displacement: FileError {
    FileError(
      operation: "append: somebody has moved or replaced this file", path: segment.path,
      code: ESTALE)
  }

  private func cutBack(_ file: OpenFile) throws(FileError) {
    let size = try fileSystem.size(of: file)
    let seal = try fileSystem.bytes(of: file, in: (sizeBytes - lastSeal.count)..<sizeBytes)
    guard size >= sizeBytes, seal == lastSeal else {
      throw FileError(
        operation:
          "append after \(state.head): the last synced seal is gone; somebody has changed the ledger, "
          + "or the database lost it, as after a failover to a standby that lagged behind",
        path: file.path, code: EUCLEAN)
    }
    if size > sizeBytes {
      try fileSystem.truncate(file, to: sizeBytes)
    }
    // The last batch's writer may have been killed before syncing it: sync before building on it.
    if size > 0 { try fileSystem.sync(file) }
  }
}
