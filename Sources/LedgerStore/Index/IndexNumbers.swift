internal import Described

/// Reads the numbers of an index one after another; past the end it returns 0.
struct IndexReader {
  private let bytes: [UInt8]
  private var place: Int

  init(_ bytes: [UInt8], at place: Int = 0) {
    self.bytes = bytes
    self.place = place
  }

  var isAtEnd: Bool { place >= bytes.count }

  private mutating func byte() -> UInt8 {
    defer { place += 1 }
    return place < bytes.count ? bytes[place] : 0
  }

  mutating func fixed32() -> UInt32 {
    var value: UInt32 = 0
    for shift in 0..<4 { value |= UInt32(byte()) << UInt32(8 * shift) }
    return value
  }

  mutating func fixed64() -> UInt64 { UInt64(fixed32()) | UInt64(fixed32()) << 32 }

  /// Reads a ``Ledger/VariableNumber``.
  mutating func variable() -> UInt64 {
    let number = bytes.withUnsafeBufferPointer {
      VariableNumber.read($0, &place, before: $0.count)
    }
    if let number { return number }
    place = bytes.count
    return 0
  }
}

/// Writes the numbers of an index one after another, lowest byte first.
struct IndexWriter {
  private(set) var bytes: [UInt8] = []

  mutating func fixed32(_ value: Int) {
    for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
  }

  mutating func fixed64(_ value: UInt64) {
    for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * shift))) }
  }

  mutating func variable(_ value: UInt64) { VariableNumber.append(value, to: &bytes) }
}
