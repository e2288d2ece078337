public import CivilTime
internal import Described
internal import Digests

/// Builds the seal that commits a batch.
public struct SealBuilder: ~Copyable {
  /// An upper limit for the bytes of a seal line.
  public static let limitBytes = 320

  private var hash = SHA256()
  private var line = LineWriter(limitBytes: SealBuilder.limitBytes)

  /// Creates a builder, to be reused for many batches. Not thread-safe.
  public init() {}

  /// Appends the seal of the `count` lines in `batch` and returns the resulting head.
  ///
  /// `batch` holds only those lines, `seq` is the seal's own sequence number, and `prev` is the head before the batch.
  public mutating func seal(
    _ batch: inout [UInt8], count: Int, seq: UInt64, at: Instant, prev: LedgerHead
  ) -> LedgerHead {
    line.clear()
    line.raw("{")
    line.member("seq", seq)
    line.name("at")
    line.instant(at, fraction: .milliseconds)
    line.member("type", RecordType.seal.rawValue)
    line.member("count", count)
    line.member("prev", prev.hash)
    prev.hash.withBytes { hash.update($0) }
    hash.update(batch)
    hash.update(UnsafeRawBufferPointer(line.bytes))
    let digest = hash.finish()
    line.member("hash", digest)
    line.raw("}\n")
    batch.append(contentsOf: line.bytes)
    return LedgerHead(seq: seq, hash: digest)
  }
}
