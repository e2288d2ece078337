/// Whole numbers in groups of seven bits, lowest first. Small ones take one byte.
public enum VariableNumber {
  /// Appends `value`.
  @inlinable public static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Appends `value`, which may be negative.
  @inlinable public static func append(signed value: Int64, to bytes: inout [UInt8]) {
    append(UInt64(bitPattern: value << 1 ^ value >> 63), to: &bytes)
  }

  /// Reads a number at `offset` and moves `offset` past it; nil if it does not end before `end` or has too many groups.
  @inlinable public static func read(
    _ bytes: UnsafeBufferPointer<UInt8>, _ offset: inout Int, before end: Int
  ) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < end, shift < 64 {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  /// Reads a number that may be negative.
  @inlinable public static func readSigned(
    _ bytes: UnsafeBufferPointer<UInt8>, _ offset: inout Int, before end: Int
  ) -> Int64? {
    read(bytes, &offset, before: end).map {
      Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1)
    }
  }
}
