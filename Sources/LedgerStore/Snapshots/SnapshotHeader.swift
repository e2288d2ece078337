internal import CivilTime
internal import Digests
internal import Ledger
internal import StrictJSON

/// The first line of a snapshot: for which head it stands, and where that head's seal lies.
struct SnapshotHeader: Equatable, Sendable {
  /// The newest header that this version reads.
  static let currentVersion = 1

  var ledger: String
  var head: LedgerHead
  /// When the head was recorded; nil where that is not told, as in snapshots of older versions.
  var at: Instant?
  var segment: String
  /// The first byte after the seal.
  var endByte: Int
  /// How many lines of the segment end there.
  var lines: Int
  var payloadBytes: Int
  var payloadSHA256: Digest

  /// The header's line.
  var line: [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("snapshot", Self.currentVersion)
    json.member("ledger", ledger)
    json.member("seq", head.seq)
    json.member("hash", head.hash.description)
    if let at { json.member("at", at.description) }
    json.member("segment", segment)
    json.member("offset", endByte)
    json.member("line", lines)
    json.member("payloadBytes", payloadBytes)
    json.member("payloadSHA256", payloadSHA256.description)
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }

  /// Reads a header's line, without its `\n`; nil when it is none that this version knows.
  init?(_ line: UnsafeBufferPointer<UInt8>) {
    var fields = Fields()
    do throws(JSONError) {
      var reader = JSONReader(line)
      try fields.read(&reader)
    } catch {
      return nil
    }
    guard fields.version == Self.currentVersion, let ledger = fields.ledger,
      let seq = fields.numbers["seq"], let segment = fields.segment,
      let endByte = fields.numbers["offset"], let lines = fields.numbers["line"],
      let payloadBytes = fields.numbers["payloadBytes"], let hash = fields.hash,
      let payloadSHA256 = fields.payloadSHA256
    else { return nil }
    self.ledger = ledger
    head = LedgerHead(seq: UInt64(seq), hash: hash)
    at = fields.at
    self.segment = segment
    self.endByte = endByte
    self.lines = lines
    self.payloadBytes = payloadBytes
    self.payloadSHA256 = payloadSHA256
  }

  init(
    ledger: String, head: LedgerHead, at: Instant? = nil, segment: String, endByte: Int, lines: Int,
    payload: [UInt8]
  ) {
    self.ledger = ledger
    self.head = head
    self.at = at
    self.segment = segment
    self.endByte = endByte
    self.lines = lines
    payloadBytes = payload.count
    payloadSHA256 = SHA256.digest(of: payload)
  }

  private struct Fields {
    var version = 0
    var ledger: String?
    var segment: String?
    var at: Instant?
    var hash: Digest?
    var payloadSHA256: Digest?
    /// Whole numbers from 0 to what leaves room for sums of them, by name.
    var numbers: [String: Int] = [:]

    mutating func read(_ reader: inout JSONReader) throws(JSONError) {
      try reader.readObject { (reader, name) throws(JSONError) in
        switch name {
        case "snapshot": version = Int(try reader.readInt())
        case "ledger": ledger = try reader.readString()
        case "segment": segment = try reader.readString()
        case "at": at = try? InstantText.parse(try reader.readString()).instant
        case "hash": hash = Digest(hex: try reader.readString())
        case "payloadSHA256": payloadSHA256 = Digest(hex: try reader.readString())
        case "seq", "offset", "line", "payloadBytes":
          let value = Int(try reader.readInt())
          if (0...1 << 60).contains(value) { numbers[try name.text()] = value }
        default: try reader.skipValue()
        }
      }
      try reader.finish()
    }
  }
}
