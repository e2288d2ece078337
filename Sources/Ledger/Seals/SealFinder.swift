/// Tells a seal by its form, for those who enter a ledger in its middle.
public struct SealFinder {
  private var scanner = LineScanner()

  /// A finder. Not thread-safe.
  public init() {}

  /// What `line`, without its `\n`, claims as the chain's state when it has the form of a seal, else nil.
  ///
  /// Whether the claim holds is for ``ChainChecker`` to say.
  public mutating func state(claimedBy line: UnsafeBufferPointer<UInt8>) -> ChainState? {
    guard line.count < RecordEncoder.lineLimitBytes, let frame = scanner.scan(line),
      frame.type == .seal, let seal = SealLine(line)
    else { return nil }
    return ChainState(seq: frame.seq, at: frame.at, hash: seal.hash)
  }
}
