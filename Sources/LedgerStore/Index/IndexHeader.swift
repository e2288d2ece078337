internal import Described
internal import Digests
internal import Ledger

/// The first line of a segment's index: what it covers and where its parts are.
struct IndexHeader: Equatable, Sendable {
  /// The only form that this version supports.
  static let currentForm = 1

  /// A part of the file after the header line.
  struct Part: Equatable, Sendable {
    var count: Int
    var sha256: Digest

    init(_ bytes: [UInt8]) {
      count = bytes.count
      sha256 = SHA256.digest(of: bytes)
    }

    init(count: Int, sha256: Digest) {
      self.count = count
      self.sha256 = sha256
    }
  }

  private var form = currentForm
  /// The number of the segment's first line.
  var firstSeq: UInt64
  /// The seal up to which the index covers the segment.
  var head: LedgerHead
  /// The first byte after that seal.
  var endByte: Int
  /// The number of lines up to there.
  var lines: Int
  /// The parts, in file order: blocks, lines about no user, table of buckets, buckets. The table holds a checksum for each
  /// bucket.
  var blocks: Part
  var common: Part
  var table: Part

  init(
    firstSeq: UInt64, head: LedgerHead, endByte: Int, lines: Int, blocks: Part, common: Part,
    table: Part
  ) {
    self.firstSeq = firstSeq
    self.head = head
    self.endByte = endByte
    self.lines = lines
    self.blocks = blocks
    self.common = common
    self.table = table
  }

  /// Parses a header line without its `\n`; nil if it is not one that this version supports.
  init?(_ line: UnsafeBufferPointer<UInt8>) {
    guard let header = try? Self(json: Array(line)), header.form == Self.currentForm,
      // Small enough that sums cannot overflow.
      [Int(clamping: header.firstSeq), Int(clamping: header.head.seq), header.endByte]
        .allSatisfy({ (1...1 << 60).contains($0) }),
      [header.lines, header.blocks.count, header.common.count, header.table.count]
        .allSatisfy({ (0...1 << 60).contains($0) })
    else { return nil }
    self = header
  }

  /// The header's line.
  var line: [UInt8] { jsonLine }
}

extension IndexHeader: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    form = try coder.field("index", value?.pointee.form)
    firstSeq = try coder.field("firstSeq", value?.pointee.firstSeq)
    head = try LedgerHead(&coder, value?.pointer(to: \.head))
    endByte = try coder.field("endByte", value?.pointee.endByte)
    lines = try coder.field("lines", value?.pointee.lines)
    blocks = Part(
      count: try coder.field("blocks", value?.pointee.blocks.count),
      sha256: try coder.field("blocksSHA256", value?.pointee.blocks.sha256))
    common = Part(
      count: try coder.field("common", value?.pointee.common.count),
      sha256: try coder.field("commonSHA256", value?.pointee.common.sha256))
    table = Part(
      count: try coder.field("table", value?.pointee.table.count),
      sha256: try coder.field("tableSHA256", value?.pointee.table.sha256))
  }
}
