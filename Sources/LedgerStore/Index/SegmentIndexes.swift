internal import Files
internal import Glibc
internal import Ledger

/// The indexes of a ledger's segments: found beside the snapshots, and made anew where they are missed.
///
/// A cache: whatever is wrong with one costs the time to read the segment.
struct SegmentIndexes: Sendable {
  private let folder: String
  private let state: String
  private let fileSystem: any FileSystem

  /// Segments that are shorter are read as they are.
  var worthwhileBytes = 1 << 20
  /// So much behind an index is read as it is, before one is made that covers it.
  var tailBytes = 8 << 20

  /// The indexes of the ledger in `directory`; `fileSystem` reads packed segments too.
  init(_ directory: DataDirectory, _ fileSystem: any FileSystem) {
    folder = directory.index
    state = directory.state
    self.fileSystem = fileSystem
  }

  /// The index of `segment`, whose lines count up to `end`; nil where there is none and none could be made.
  func index(of segment: SegmentFile, _ file: OpenFile, before end: Int) throws -> SegmentIndex? {
    let known = try saved(segment, file, before: end)
    let covered = known?.header.endByte ?? 0
    let isEnough = known == nil ? end < worthwhileBytes : end - covered < tailBytes
    if isEnough { return known }
    return try make(segment, file, before: end) ?? known
  }

  /// Makes the index of `segment` if it does not cover all of it; returns whether one was made.
  func renew(_ segment: SegmentFile, _ file: OpenFile, before end: Int) throws -> Bool {
    if let known = try saved(segment, file, before: end), known.header.endByte == end {
      return false
    }
    return try make(segment, file, before: end) != nil
  }

  private func path(of segment: SegmentFile) -> String {
    "\(folder)/\(segment.name.dropLast(SegmentFile.suffix.count)).index"
  }

  /// The index on the disk, if it is one of this segment's lines before `end`.
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
    guard let seal = try SealSearch(fileSystem: fileSystem).last(in: file, before: end),
      let bytes = try SegmentIndexBuilder.index(of: segment, file, through: seal, fileSystem)
    else { return nil }
    return try unlessMissing {
      // Whoever only reads the ledger leaves nothing behind that its owner could not replace.
      guard DataDirectory.isOwned(state) else { return nil }
      _ = try fileSystem.makeFolder(folder)
      // Several processes may make the same one at once: each under a name of its own.
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

/// What `body` returns, nil when the disk has nothing or refuses: a cache that is not there is no error.
func unlessMissing<Result>(_ body: () throws -> Result) throws -> Result? {
  do {
    return try body()
  } catch is FileError {
    return nil
  }
}
