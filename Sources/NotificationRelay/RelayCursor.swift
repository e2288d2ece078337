public import Digests
import StrictJSON

/// How far a sink has been served: everything up to here was delivered.
public struct RelayCursor: Sendable, Equatable {
  /// The last delivered record; 0 before the first.
  public let seq: UInt64
  /// The hash of the ledger's seal at or after it.
  public let hash: Digest

  /// A cursor.
  public init(seq: UInt64, hash: Digest) {
    self.seq = seq
    self.hash = hash
  }

  /// Before the first record.
  public static let start = RelayCursor(seq: 0, hash: .zero)

  /// The cursor as one JSON line.
  var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("seq", seq)
    writer.member("hash", hash.description)
    writer.endObject()
    return writer.text + "\n"
  }

  /// The cursor that `text` spells, or nil when the text is damaged.
  public init?(_ text: [UInt8]) {
    guard let node = try? JSONNode.parse(text), let seq = node["seq"]?.int, seq >= 0,
      let hash = node["hash"]?.string.flatMap({ Digest(hex: $0) })
    else { return nil }
    self.init(seq: UInt64(seq), hash: hash)
  }
}
