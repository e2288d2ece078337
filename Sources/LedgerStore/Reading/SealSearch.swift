internal import Foundations
internal import Glibc
internal import Ledger

/// Finds seals by their form, starting from the middle or the end of a segment.
struct SealSearch {
  let fileSystem: any FileSystem
  var windowBytes = 1 << 20
  private static let leastWindowBytes = 32 << 10

  /// Returns the first seal whose line begins in `range`, and that line's first byte.
  func first(
    in file: OpenFile, _ range: Range<Int>, size: Int
  ) throws -> (start: Int, place: SealPlace)? {
    var finder = SealFinder()
    var found: (start: Int, place: SealPlace)?
    // The byte before shows whether a line begins at the range's start.
    let from = max(0, range.lowerBound - 1)
    var isWhole = range.lowerBound == 0
    let reader = BlockReader(fileSystem: fileSystem)
    _ = try reader.readLines(file, from..<size) { line, start in
      defer { isWhole = true }
      if isWhole, start >= range.upperBound { return .stop }
      guard isWhole, let state = finder.state(claimedBy: line) else { return .next }
      found = (start, SealPlace(state: state, endByte: start + line.count + 1, lines: 0))
      return .stop
    }
    return found
  }

  /// Returns the last seal that ends at or before `end`.
  func last(in file: OpenFile, before end: Int) throws -> SealPlace? {
    var upper = end
    // The last seal is mostly in the last few kilobytes: a reader that looks on every request should not read a megabyte.
    var span = min(windowBytes, Self.leastWindowBytes)
    while upper > 0 {
      let lower = max(0, upper - span)
      var finder = SealFinder()
      var found: SealPlace?
      var isWhole = lower == 0
      // A line may extend beyond the window's end by the length of a line.
      let reach = min(end, upper + RecordEncoder.lineLimitBytes)
      let reader = BlockReader(fileSystem: fileSystem, blockBytes: windowBytes * 2)
      _ = try reader.readLines(file, lower..<reach) { line, start in
        defer { isWhole = true }
        if isWhole, let state = finder.state(claimedBy: line) {
          found = SealPlace(state: state, endByte: start + line.count + 1, lines: 0)
        }
        return .next
      }
      if let found { return found }
      upper = lower
      span = min(windowBytes, span * 4)
    }
    return nil
  }

  /// Finds a seal at or shortly before `seq` by bisection; nil if there is none before the segment's first megabytes, which have
  /// to be read anyway.
  func place(
    notAfter seq: UInt64, in file: OpenFile, of segment: SegmentFile, before end: Int
  ) throws -> SealPlace? {
    var best: SealPlace?
    var lower = 0
    var upper = end
    while upper - lower > windowBytes * 2 {
      let middle = lower + (upper - lower) / 2
      if var found = try first(in: file, middle..<upper, size: end)?.place,
        found.state.seq <= seq, found.state.seq >= segment.firstSeq
      {
        // Lines are numbered consecutively, so the number gives the count of lines up to there.
        found.lines = Int(found.state.seq - segment.firstSeq) + 1
        best = found
        lower = max(found.endByte, middle + 1)
      } else {
        upper = middle
      }
    }
    return best
  }

  /// Returns the seal whose line ends exactly at `end`.
  func seal(in file: OpenFile, endingAt end: Int) throws -> SealPlace? {
    let tail = try fileSystem.bytes(of: file, in: max(0, end - 4_096)..<max(0, end))
    guard tail.last == 0x0A else { return nil }
    let body = tail.dropLast()
    let start = body.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let line = Array(body[start...])
    var finder = SealFinder()
    guard let state = line.withUnsafeBufferPointer({ finder.state(claimedBy: $0) }) else {
      return nil
    }
    return SealPlace(state: state, endByte: end, lines: 0)
  }

  /// Returns the seal with this sequence number, by counting lines; `segment` is the one that holds it.
  func seal(_ head: LedgerHead, in segment: SegmentFile) throws -> SealPlace? {
    guard head.seq >= segment.firstSeq else { return nil }
    return try fileSystem.reading(segment.path) { file in
      let size = try fileSystem.size(of: file)
      var lines = 0
      var finder = SealFinder()
      var found: SealPlace?
      let reader = BlockReader(fileSystem: fileSystem)
      _ = try reader.readLines(file, 0..<size) { line, start in
        lines += 1
        guard segment.firstSeq + UInt64(lines) - 1 == head.seq else { return .next }
        if let state = finder.state(claimedBy: line), state.head == head {
          found = SealPlace(state: state, endByte: start + line.count + 1, lines: lines)
        }
        return .stop
      }
      return found
    }
  }
}
