public import Digests

/// Where a ledger ends: the sequence number and the hash of its last seal.
public struct LedgerHead: Hashable, Sendable {
  /// The seal's sequence number; 0 for a ledger without a seal.
  public let seq: UInt64
  /// The seal's hash; zero for a ledger without a seal.
  public let hash: Digest

  /// Creates a head.
  public init(seq: UInt64, hash: Digest) {
    self.seq = seq
    self.hash = hash
  }

  /// What stands before the first line.
  public static let origin = LedgerHead(seq: 0, hash: .zero)

  /// Creates the head written as `SEQ:HASH`, or nil.
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
