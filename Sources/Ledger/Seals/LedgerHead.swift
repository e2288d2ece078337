public import Described
public import Digests

/// The end of a ledger: the sequence number and hash of its last seal.
public struct LedgerHead: Hashable, Sendable {
  /// The seal's sequence number; 0 if the ledger has no seal.
  public let seq: UInt64
  /// The seal's hash; zero if the ledger has no seal.
  public let hash: Digest

  /// Creates a head.
  public init(seq: UInt64, hash: Digest) {
    self.seq = seq
    self.hash = hash
  }

  /// The head of an empty ledger.
  public static let origin = LedgerHead(seq: 0, hash: .zero)

  /// Parses a head written as `SEQ:HASH`; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let seq = UInt64(parts[0]), let hash = Digest(hex: String(parts[1]))
    else { return nil }
    self.init(seq: seq, hash: hash)
  }
}

extension LedgerHead: CustomStringConvertible {
  /// The head as `SEQ:HASH`.
  public var description: String { "\(seq):\(hash)" }
}

extension LedgerHead: JSONObject {
  /// The number and the hash.
  public static let members = JSONMembers<Self> {
    $0.add("seq", \.seq)
    $0.add("hash", \.hash)
  }
}
