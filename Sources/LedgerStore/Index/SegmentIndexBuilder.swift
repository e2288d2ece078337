internal import Foundations
internal import Ledger

/// Builds the index of a segment from its lines.
struct SegmentIndexBuilder {
  private var entries: [UInt64] = []
  private var lines = 0
  /// For each block, the first byte of its first line and how many lines begin in it.
  private var starts: [(firstByte: Int, lines: Int)] = []
  private var common: [UInt8] = []

  /// The approximate number of users in a bucket.
  private static let usersABucket = 32

  /// Returns the bytes of the index of `segment` up to the seal that ends at `end`; nil if its lines cannot be read.
  static func index(
    of segment: SegmentFile, _ file: OpenFile, through seal: SealPlace, _ fileSystem: any FileSystem
  ) throws -> [UInt8]? {
    var builder = SegmentIndexBuilder()
    let rest = try BlockReader(fileSystem: fileSystem).readLines(file, 0..<seal.endByte) {
      line, byte in
      builder.add(line, at: byte)
      return .next
    }
    let last = segment.firstSeq + UInt64(builder.lines) - 1
    guard rest == 0, last == seal.state.seq else { return nil }
    return builder.bytes(firstSeq: segment.firstSeq, seal)
  }

  private mutating func add(_ line: UnsafeBufferPointer<UInt8>, at byte: Int) {
    let block = byte / SegmentIndex.blockBytes
    while starts.count < block { starts.append((starts.count * SegmentIndex.blockBytes, 0)) }
    if starts.count == block { starts.append((byte, 0)) }
    starts[block].lines += 1
    lines += 1
    let outline = LineOutline(line)
    guard let user = outline?.user else {
      guard !Self.isLeftOut(line, outline) else { return }
      common.append(contentsOf: line)
      common.append(UInt8(ascii: "\n"))
      return
    }
    let hash = UserChoice.number(of: UnsafeBufferPointer(rebasing: line[user]))
    let entry = UInt64(hash) << 32 | UInt64(block)
    if entries.last != entry { entries.append(entry) }
  }

  /// Returns whether a line is left out of the index: seals and runs, most of the lines about no user, say nothing about users'
  /// state.
  private static func isLeftOut(
    _ line: UnsafeBufferPointer<UInt8>, _ outline: LineOutline?
  ) -> Bool {
    guard let outline else { return false }
    let type = UnsafeBufferPointer(rebasing: line[outline.type])
    return type.elementsEqual("seal".utf8) || type.elementsEqual("run".utf8)
  }

  private mutating func bytes(firstSeq: UInt64, _ seal: SealPlace) -> [UInt8] {
    entries.sort()
    var blocks = IndexWriter()
    for (number, start) in starts.enumerated() {
      blocks.fixed32(start.firstByte - number * SegmentIndex.blockBytes)
      blocks.fixed32(start.lines)
    }
    let (table, buckets) = postings
    let header = IndexHeader(
      firstSeq: firstSeq, head: seal.state.head, endByte: seal.endByte, lines: lines,
      blocks: IndexHeader.Part(blocks.bytes), common: IndexHeader.Part(common),
      table: IndexHeader.Part(table))
    return header.line + blocks.bytes + common + table + buckets
  }

  /// The table of the buckets, and the buckets.
  private var postings: (table: [UInt8], buckets: [UInt8]) {
    var users = 0
    var previous: UInt64?
    for entry in entries where entry >> 32 != previous {
      users += 1
      previous = entry >> 32
    }
    var count = 1
    while count < users / Self.usersABucket { count *= 2 }
    let shift = SegmentIndex.shift(buckets: count) + 32
    var table = IndexWriter()
    var buckets: [UInt8] = []
    var place = 0
    for number in 0..<count {
      var bucket = IndexWriter()
      var hash: UInt64 = 0
      while place < entries.count, entries[place] >> shift == UInt64(number) {
        let user = entries[place] >> 32
        var end = place
        while end < entries.count, entries[end] >> 32 == user { end += 1 }
        bucket.variable(user - hash)
        hash = user
        let numbers = Self.distinct(entries[place..<end])
        bucket.variable(UInt64(numbers.count))
        var block: UInt64 = 0
        for number in numbers {
          bucket.variable(number - block)
          block = number
        }
        place = end
      }
      table.fixed32(buckets.count)
      table.fixed32(bucket.bytes.count)
      table.fixed64(SegmentIndex.checksum(bucket.bytes))
      buckets += bucket.bytes
    }
    return (table.bytes, buckets)
  }

  private static func distinct(_ entries: ArraySlice<UInt64>) -> [UInt64] {
    var numbers: [UInt64] = []
    for entry in entries where numbers.last != entry & 0xFFFF_FFFF {
      numbers.append(entry & 0xFFFF_FFFF)
    }
    return numbers
  }
}
