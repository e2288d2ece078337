internal import CivilTime
internal import Described
internal import Digests
internal import Ledger

/// The first line of a snapshot: the head it stands for, and the position of that head's seal.
struct SnapshotHeader: Equatable, Sendable {
  /// The newest header version that this version can read.
  static let currentVersion = 1

  private var version = currentVersion
  var ledger: String
  var head: LedgerHead
  /// When the head was recorded; nil if missing, as in snapshots of older versions.
  var at: Instant?
  var segment: String
  /// The first byte after the seal.
  var endByte: Int
  /// The number of the segment's lines up to there.
  var lines: Int
  var payloadBytes: Int
  var payloadSHA256: Digest

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

  /// Parses a header line without its `\n`; nil if it is not one that this version supports.
  init?(_ line: UnsafeBufferPointer<UInt8>) {
    guard let header = try? Self(json: Array(line)), header.version == Self.currentVersion,
      // Small enough that sums cannot overflow.
      [Int(clamping: header.head.seq), header.endByte, header.lines, header.payloadBytes]
        .allSatisfy({ (0...1 << 60).contains($0) })
    else { return nil }
    self = header
  }

  /// The header's line.
  var line: [UInt8] { jsonLine }
}

extension SnapshotHeader: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    version = try coder.field("snapshot", value?.pointee.version)
    ledger = try coder.field("ledger", value?.pointee.ledger)
    head = try LedgerHead(&coder, value?.pointer(to: \.head))
    at = try coder.optional("at", value?.pointee.at)
    segment = try coder.field("segment", value?.pointee.segment)
    endByte = try coder.field("offset", value?.pointee.endByte)
    lines = try coder.field("line", value?.pointee.lines)
    payloadBytes = try coder.field("payloadBytes", value?.pointee.payloadBytes)
    payloadSHA256 = try coder.field("payloadSHA256", value?.pointee.payloadSHA256)
  }
}
