internal import Digests
internal import Foundations
internal import Ledger

/// Maps users to the blocks of a segment that hold their lines, and keeps the lines that are about no user.
///
/// Only a cache: it covers a segment up to one of its seals, names that seal by its hash, and has a checksum for each of its
/// parts. An index that does not fit is ignored, and the whole segment is read instead.
///
/// The file is a line of JSON, ``IndexHeader``, followed by four parts:
/// - for each block, where its first line begins and how many lines begin in it
/// - the lines about no user
/// - for each bucket, its position, its length and the first eight bytes of its SHA-256
/// - the buckets
///
/// A bucket holds the users whose hash begins with its number, in order of their hashes. Each entry has the distance from the
/// previous hash, the number of blocks with lines of the user, and the distances between those blocks.
struct SegmentIndex: Sendable {
  /// The size of a block; a line belongs to the block in which it begins.
  static let blockBytes = 64 << 10
  static let blockEntryBytes = 8
  static let bucketEntryBytes = 16

  /// The position of the lines that begin in a block.
  struct Block: Equatable, Sendable {
    /// The first byte of the first line that begins in it.
    var firstByte: Int
    /// How many lines of the segment begin before it.
    var linesBefore: Int
    /// How many lines begin in it.
    var lines: Int
  }

  let header: IndexHeader
  /// All blocks, in order.
  let blocks: [Block]
  /// The lines about no user, in order, each with its `\n`.
  let commonLines: [UInt8]
  private let table: [UInt8]
  private let bucketsByte: Int
  private let path: String
  private let fileSystem: any FileSystem

  /// Reads the index at `path`; nil if it is not an index, or is damaged. Throws ``Foundations/FileError`` if there is no file to read.
  init?(path: String, _ fileSystem: any FileSystem) throws {
    let found = try fileSystem.reading(path) { file -> Parts? in
      let start = try fileSystem.bytes(of: file, in: 0..<4_096)
      guard let end = start.firstIndex(of: UInt8(ascii: "\n")),
        let header = start[..<end].withUnsafeBufferPointer({ IndexHeader($0) })
      else { return nil }
      var place = end + 1
      func part(_ part: IndexHeader.Part) throws -> [UInt8]? {
        let size = try fileSystem.size(of: file)
        guard part.count <= size - place else { return nil }
        let bytes = try fileSystem.bytes(of: file, in: place..<place + part.count)
        place += part.count
        return SHA256.digest(of: bytes) == part.sha256 ? bytes : nil
      }
      guard let blocks = try part(header.blocks), let common = try part(header.common),
        let table = try part(header.table)
      else { return nil }
      return Parts(
        header: header, blocks: blocks, common: common, table: table, bucketsByte: place)
    }
    guard let found, let blocks = Self.blocks(found.blocks, lines: found.header.lines) else {
      return nil
    }
    header = found.header
    self.blocks = blocks
    commonLines = found.common
    table = found.table
    bucketsByte = found.bucketsByte
    self.path = path
    self.fileSystem = fileSystem
  }

  private struct Parts {
    let header: IndexHeader
    let blocks: [UInt8]
    let common: [UInt8]
    let table: [UInt8]
    let bucketsByte: Int
  }

  private static func blocks(_ bytes: [UInt8], lines: Int) -> [Block]? {
    var reader = IndexReader(bytes)
    var blocks: [Block] = []
    var before = 0
    for number in 0..<bytes.count / blockEntryBytes {
      let (start, count) = (Int(reader.fixed32()), Int(reader.fixed32()))
      blocks.append(
        Block(firstByte: number * blockBytes + start, linesBefore: before, lines: count))
      before += count
    }
    return before == lines ? blocks : nil
  }

  /// Returns the start of the block that holds the line with this number; nil if the index does not cover it.
  func place(before seq: UInt64) -> SealPlace? {
    guard seq >= header.firstSeq, seq <= header.head.seq else { return nil }
    let line = Int(seq - header.firstSeq)
    let block = blocks.last { $0.linesBefore <= line && $0.lines > 0 }
    return block.map { SealPlace(state: .origin, endByte: $0.firstByte, lines: $0.linesBefore) }
  }

  /// Returns how many bits to shift a user's number right to get its bucket's number.
  static func shift(buckets: Int) -> UInt64 { UInt64(32 - buckets.trailingZeroBitCount) }

  /// Returns the numbers of the blocks that hold lines of users with one of these hashes, in order; nil if the file is damaged.
  func blocks(of users: Set<UInt32>) throws -> [Int]? {
    let count = table.count / Self.bucketEntryBytes
    guard count > 0, count & (count - 1) == 0 else { return nil }
    let shift = Self.shift(buckets: count)
    var found: Set<Int> = []
    let buckets = Dictionary(grouping: users) { Int(UInt64($0) >> shift) }
    let isWhole = try fileSystem.reading(path) { file in
      for (bucket, users) in buckets {
        var entry = IndexReader(table, at: bucket * Self.bucketEntryBytes)
        let start = bucketsByte + Int(entry.fixed32())
        let range = start..<start + Int(entry.fixed32())
        let bytes = try fileSystem.bytes(of: file, in: range)
        guard bytes.count == range.count, Self.checksum(bytes) == entry.fixed64() else {
          return false
        }
        Self.add(Set(users), in: bytes, to: &found)
      }
      return true
    }
    guard isWhole, found.allSatisfy({ $0 < blocks.count }) else { return nil }
    return found.sorted()
  }

  private static func add(_ users: Set<UInt32>, in bucket: [UInt8], to found: inout Set<Int>) {
    var reader = IndexReader(bucket)
    var hash: UInt64 = 0
    while !reader.isAtEnd {
      hash &+= reader.variable()
      let isWanted = users.contains(UInt32(truncatingIfNeeded: hash))
      var block = 0
      for _ in 0..<min(reader.variable(), UInt64(bucket.count)) {
        block &+= Int(truncatingIfNeeded: reader.variable())
        if isWanted { found.insert(block) }
      }
    }
  }

  /// The parts of a segment to read for some users.
  struct Wanted {
    /// A range of whole lines.
    struct Lines {
      var bytes: Range<Int>
      /// How many lines of the segment precede it.
      var linesBefore: Int
    }

    /// The blocks with lines of the users, and possibly of others.
    var blocks: [Lines]
    /// The records about no user, except seals and runs.
    var common: [Record]
  }

  /// Returns the parts to read for users with one of these numbers; nil if the file is damaged.
  func wanted(_ users: Set<UInt32>) throws -> Wanted? {
    guard let numbers = try unlessMissing({ try blocks(of: users) }) ?? nil,
      let common = commonRecords
    else { return nil }
    let stretches = numbers.map { number in
      let next = blocks[(number + 1)...].first { $0.lines > 0 }
      return Wanted.Lines(
        bytes: blocks[number].firstByte..<(next?.firstByte ?? header.endByte),
        linesBefore: blocks[number].linesBefore)
    }
    return Wanted(blocks: stretches, common: common)
  }

  private var commonRecords: [Record]? {
    commonLines.withUnsafeBufferPointer { bytes in
      var records: [Record] = []
      for line in bytes.split(separator: UInt8(ascii: "\n")) {
        guard let record = try? RecordDecoder.decode(UnsafeBufferPointer(rebasing: line)) else {
          return nil
        }
        records.append(record)
      }
      return records
    }
  }

  /// Returns the first eight bytes of the SHA-256.
  static func checksum(_ bytes: [UInt8]) -> UInt64 {
    UInt64(SHA256.digest(of: bytes).description.prefix(16), radix: 16) ?? 0
  }
}
