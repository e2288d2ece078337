/// A position in bytes that hold big-endian numbers; it never passes their end.
struct BigEndianReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Moves on by `count` bytes, 0 or more.
  mutating func skip(_ count: Int) throws(TZifFile.Malformed) {
    guard count <= bytes.count - position else { throw TZifFile.Malformed(what: "a cut TZif file") }
    position += count
  }

  /// The number in the next 1 to 8 bytes, in two's complement.
  mutating func signed(bytes width: Int) throws(TZifFile.Malformed) -> Int64 {
    let start = position
    try skip(width)
    var value = Int64(Int8(bitPattern: bytes[start]))
    for byte in bytes[start + 1..<position] { value = value << 8 | Int64(byte) }
    return value
  }

  /// The unsigned number in the next 4 bytes.
  mutating func count() throws(TZifFile.Malformed) -> Int {
    Int(UInt32(truncatingIfNeeded: try signed(bytes: 4)))
  }
}
