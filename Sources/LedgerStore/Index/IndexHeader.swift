internal import Digests
internal import Ledger
internal import StrictJSON

/// The first line of a segment's index: what it covers, and where its parts lie.
struct IndexHeader: Equatable, Sendable {
  /// The only form that this version reads.
  static let currentForm = 1

  /// A part of the file behind the header's line.
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

  /// The number of the segment's first line.
  var firstSeq: UInt64
  /// The seal up to which the segment is covered.
  var head: LedgerHead
  /// The first byte behind that seal.
  var endByte: Int
  /// How many lines end there.
  var lines: Int
  /// The parts, in the order in which they lie: blocks, lines about no user, table of buckets, buckets. Of the last, each
  /// bucket has a checksum in the table.
  var blocks: Part
  var common: Part
  var table: Part

  /// The header's line.
  var line: [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("index", Self.currentForm)
    json.member("firstSeq", firstSeq)
    json.member("seq", head.seq)
    json.member("hash", head.hash.description)
    json.member("endByte", endByte)
    json.member("lines", lines)
    for (name, part) in [("blocks", blocks), ("common", common), ("table", table)] {
      json.member(name, part.count)
      json.member("\(name)SHA256", part.sha256.description)
    }
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }

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

  /// Reads a header's line, without its `\n`; nil when it is none that this version knows.
  init?(_ line: UnsafeBufferPointer<UInt8>) {
    var numbers: [String: Int] = [:]
    var digests: [String: Digest] = [:]
    do throws(JSONError) {
      var reader = JSONReader(line)
      try reader.readObject { (reader, name) throws(JSONError) in
        let name = try name.text()
        if name.hasSuffix("SHA256") || name == "hash" {
          digests[name] = Digest(hex: try reader.readString())
        } else {
          // What leaves room for sums.
          let number = Int(try reader.readInt())
          if (0...1 << 60).contains(number) { numbers[name] = number }
        }
      }
      try reader.finish()
    } catch {
      return nil
    }
    func part(_ name: String) -> Part? {
      guard let count = numbers[name], count >= 0, let sha256 = digests["\(name)SHA256"] else {
        return nil
      }
      return Part(count: count, sha256: sha256)
    }
    guard numbers["index"] == Self.currentForm, let first = numbers["firstSeq"], first > 0,
      let seq = numbers["seq"], seq > 0, let hash = digests["hash"],
      let endByte = numbers["endByte"], endByte > 0, let lines = numbers["lines"],
      let blocks = part("blocks"), let common = part("common"), let table = part("table")
    else { return nil }
    self.init(
      firstSeq: UInt64(first), head: LedgerHead(seq: UInt64(seq), hash: hash), endByte: endByte,
      lines: lines, blocks: blocks, common: common, table: table)
  }
}
