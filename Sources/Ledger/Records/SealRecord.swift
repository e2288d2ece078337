public import Digests

/// Commits the lines since the previous seal.
public struct SealRecord: Sendable, Equatable {
  /// How many lines.
  public var count: Int
  /// The previous seal's hash; 32 zero bytes before the first.
  public var prev: Digest
  /// SHA-256 of `prev`, the lines and the seal's own bytes up to its hash.
  public var hash: Digest

  /// The record with these fields.
  public init(
    count: Int, prev: Digest, hash: Digest
  ) {
    self.count = count
    self.prev = prev
    self.hash = hash
  }
}
