/// A grant's key as an 80-bit number, with its place, which a check of uniqueness keeps instead of the text.
public struct GrantMark: Hashable, Sendable {
  /// 64 bits of the key's hash.
  public let hash: UInt64
  /// 16 more bits.
  public let moreHash: UInt16
  /// The line's sequence number.
  public let seq: UInt64
  /// The line within its stretch, from 1.
  public let line: Int
  /// The line's first byte in its segment.
  public let byte: Int

  init(key: UnsafeRawBufferPointer, seq: UInt64, line: Int, byte: Int) {
    let (low, high) = Self.hash(key)
    hash = low
    moreHash = UInt16(truncatingIfNeeded: high)
    self.seq = seq
    self.line = line
    self.byte = byte
  }

  /// Multiplies and folds in two lanes. Only the ledger's own writer makes keys, so no one gains from a collision.
  private static func hash(_ key: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
    var low = 0x9E37_79B9_7F4A_7C15 ^ UInt64(key.count)
    var high: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    var index = 0
    while index < key.count {
      var word: UInt64 = 0
      if index + 8 <= key.count {
        word = key.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      } else {
        for byte in key[index...] { word = word << 8 | UInt64(byte) }
      }
      low = fold(low ^ word, 0xA076_1D64_78BD_642F)
      high = fold(high &+ word, 0xE703_7ED1_A0B4_28DB)
      index += 8
    }
    return (fold(low ^ high, 0x8EBC_6AF0_9C88_C6E3), fold(high ^ (low << 1), 0x5899_65CC_7537_4CC3))
  }

  @inline(__always)
  private static func fold(_ value: UInt64, _ factor: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }
}
