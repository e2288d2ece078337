public import CivilTime
public import Digests

/// A position in the chain: after a line, with the hash of the last seal.
public struct ChainState: Hashable, Sendable {
  /// The last line's sequence number.
  public var seq: UInt64
  /// The last line's recorded time.
  public var at: Instant
  /// The last seal's hash.
  public var hash: Digest

  /// Creates a state.
  public init(seq: UInt64, at: Instant, hash: Digest) {
    self.seq = seq
    self.at = at
    self.hash = hash
  }

  /// The state before the first line.
  public static let origin = ChainState(seq: 0, at: .earliest, hash: .zero)

  /// The state's sequence number and hash; meaningful only right after a seal.
  public var head: LedgerHead { LedgerHead(seq: seq, hash: hash) }
}

/// Where a seal's line ends in its segment, with the chain's state there.
public struct SealPlace: Hashable, Sendable {
  /// The state after the seal.
  public var state: ChainState
  /// The first byte after the seal's line.
  public var endByte: Int
  /// The number of lines of the segment up to there.
  public var lines: Int

  /// Creates a place.
  public init(state: ChainState, endByte: Int, lines: Int) {
    self.state = state
    self.endByte = endByte
    self.lines = lines
  }
}
