internal import Digests
internal import Foundations
internal import Ledger

/// A piece of one segment, from seal to seal, that is checked on its own.
struct Stretch: Sendable {
  let segment: SegmentFile
  let segmentIndex: Int
  let isLastSegment: Bool
  /// The segment's length when the verification began.
  let size: Int
  /// The state and place to begin from; nil for "after the first seal whose line begins in `range`".
  let start: SealPlace?
  /// The stretch ends with the first seal whose line begins at or after the upper bound.
  let range: Range<Int>

  /// The result of a stretch; lines are counted from its beginning.
  struct Outcome: Sendable {
    var damage: [Damage] = []
    var grants: [GrantMark] = []
    var undone: [ClosedRange<UInt64>] = []
    var foundHeads: Set<UInt64> = []
    var lines = 0
    var counts: LineCounts?
    var lastSeal: SealPlace?
    var sealBefore: SealPlace?
    /// Whether the packed segment could not be unpacked, so that nothing is known about its lines.
    var isUnreadable = false
  }

  /// Checks the stretch; returns an empty outcome if it has no seal to begin after.
  func check(
    _ fileSystem: any FileSystem, heads: [UInt64: Digest], counts: LineCounts?
  ) throws -> Outcome {
    do {
      return try read(fileSystem, heads: heads, counts: counts)
    } catch let error as FileError where error.code == FileError.unreadable {
      let what =
        error.isOfPacking
        ? "\(segment.name)\(SegmentFile.packedSuffix) cannot be unpacked here: it is damaged, or was not packed by ledger compact (try zstd -d)"
        : error.operation
      let damage = Damage(
        kind: .packing, segment: segment.name, line: 0, byte: range.lowerBound, what: what)
      return Outcome(damage: [damage], isUnreadable: true)
    }
  }

  private func read(
    _ fileSystem: any FileSystem, heads: [UInt64: Digest], counts: LineCounts?
  ) throws -> Outcome {
    try fileSystem.reading(segment.path) { file in
      guard let begin = try findStart(file, fileSystem) else { return Outcome(counts: counts) }
      var checker = ChainChecker(
        segment: segment.name, after: begin.state, byte: begin.endByte, heads: heads,
        counts: counts)
      let reader = BlockReader(fileSystem: fileSystem)
      let rest = try reader.read(file, begin.endByte..<max(begin.endByte, size)) { bytes in
        checker.feed(bytes, until: range.upperBound)
      }
      if let rest { checker.finish(rest: rest, isLastSegment: isLastSegment) }
      var outcome = Outcome(
        damage: checker.damage, grants: checker.grants, undone: checker.undone,
        foundHeads: checker.foundHeads, lines: checker.lines, counts: checker.counts)
      if checker.lastSeal.endByte > begin.endByte {
        outcome.lastSeal = checker.lastSeal
        outcome.sealBefore = checker.sealBefore
      }
      return outcome
    }
  }

  private func findStart(_ file: OpenFile, _ fileSystem: any FileSystem) throws -> SealPlace? {
    if let start { return start }
    let search = SealSearch(fileSystem: fileSystem)
    return try search.first(in: file, range, size: size)?.place
  }
}
