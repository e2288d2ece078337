extension Sequence<UInt8> {
  /// The 64-bit FNV-1a hash of the bytes, which is the same in every process. Neither secret nor free of collisions.
  @inlinable public var fnv1a: UInt64 {
    reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 }
  }
}
