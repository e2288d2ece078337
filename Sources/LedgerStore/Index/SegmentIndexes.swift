internal import Foundations
internal import Glibc
internal import Ledger

/// The indexes of a ledger's segments: stored beside the snapshots and rebuilt when missing.
///
/// Only a cache: a faulty index costs no more than the time to read the segment.
struct SegmentIndexes: Sendable {
  private let folder: String
  private let state: String
  private let fileSystem: any FileSystem

  /// The size from which a segment is worth an index; shorter segments are read whole.
  var worthwhileBytes = 1 << 20
  /// How many bytes after an index are read directly before a new index is built to cover them.
  var tailBytes = 8 << 20

  /// Creates access to the indexes of the ledger in `directory`; `fileSystem` can also read packed segments.
  init(_ directory: DataDirectory, _ fileSystem: any FileSystem) {
    folder = directory.index
    state = directory.state
    self.fileSystem = fileSystem
  }

  /// Returns the index of `segment`, whose lines count up to `end`; nil if there is none and none could be built.
  func index(of segment: SegmentFile, _ file: OpenFile, before end: Int) throws -> SegmentIndex? {
    let known = try saved(segment, file, before: end)
    let covered = known?.header.endByte ?? 0
    let isEnough = known == nil ? end < worthwhileBytes : end - covered < tailBytes
    if isEnough { return known }
    return try make(segment, file, before: end) ?? known
  }

  /// Builds the index of `segment` unless one covers all of it; returns whether it built one.
  func renew(_ segment: SegmentFile, _ file: OpenFile, before end: Int) throws -> Bool {
    if let known = try saved(segment, file, before: end), known.header.endByte == end {
      return false
    }
    return try make(segment, file, before: end) != nil
  }

  private func path(of segment: SegmentFile) -> String {
    "\(folder)/\(segment.name.dropLast(SegmentFile.suffix.count)).index"
  }

  /// Returns the index on disk, if it covers lines of this segment before `end`.
  private func saved(
    _ segment: SegmentFile, _ file: OpenFile, before end: Int
  ) throws -> SegmentIndex? {
    guard let index = try unlessMissing({ try SegmentIndex(path: path(of: segment), fileSystem) }),
      let index, index.header.firstSeq == segment.firstSeq, index.header.endByte <= end
    else { return nil }
    let seal = try SealSearch(fileSystem: fileSystem).seal(in: file, endingAt: index.header.endByte)
    let lines = Int(clamping: index.header.head.seq - segment.firstSeq + 1)
    return seal?.state.head == index.header.head && lines == index.header.lines ? index : nil
  }

  private func make(
    _ segment: SegmentFile, _ file: OpenFile, before end: Int
  ) throws -> SegmentIndex? {
    // Readers leave no file behind that the ledger's owner could not replace.
    guard fileSystem.isOwned(state),
      let seal = try SealSearch(fileSystem: fileSystem).last(in: file, before: end),
      let bytes = try SegmentIndexBuilder.index(of: segment, file, through: seal, fileSystem)
    else { return nil }
    return try unlessMissing {
      _ = try fileSystem.makeFolder(folder)
      // Several processes may build the same index at once: each uses its own name.
      let temporary = "\(path(of: segment)).\(getpid())"
      let file = try fileSystem.open(temporary, for: .replace)
      do {
        defer { fileSystem.close(file) }
        try fileSystem.writeAll(bytes, to: file)
        try fileSystem.rename(temporary, to: path(of: segment))
      } catch {
        try? fileSystem.remove(temporary)
        throw error
      }
      return try SegmentIndex(path: path(of: segment), fileSystem)
    } ?? nil
  }
}

/// Returns the result of `body`, or nil if the disk has no such file or denies access: a missing cache is no error.
func unlessMissing<Result>(_ body: () throws -> Result) throws -> Result? {
  do {
    return try body()
  } catch is FileError {
    return nil
  }
}
