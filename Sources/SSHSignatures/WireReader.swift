/// Reads the fields of SSH's wire format (RFC 4251, section 5) from first to last.
struct WireReader {
  private let bytes: [UInt8]
  private var offset = 0
  /// What the bytes are, for refusals.
  private let subject: String

  init(_ bytes: [UInt8], of subject: String) {
    self.bytes = bytes
    self.subject = subject
  }

  /// Reads the next `count` bytes.
  mutating func read(_ count: Int, _ field: String) throws(SignatureRefusal) -> [UInt8] {
    guard count <= bytes.count - offset else {
      throw SignatureRefusal(.truncated, "\(subject) ends in the middle of its \(field)")
    }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  /// Reads a number of four bytes.
  mutating func readNumber(_ field: String) throws(SignatureRefusal) -> UInt32 {
    try read(4, field).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Reads a string: its length as a number, and its bytes.
  mutating func readString(_ field: String) throws(SignatureRefusal) -> [UInt8] {
    try read(Int(readNumber(field)), field)
  }

  /// Reads a string as text. Bytes that are not UTF-8 are replaced.
  mutating func readText(_ field: String) throws(SignatureRefusal) -> String {
    try String(decoding: readString(field), as: UTF8.self)
  }

  /// Checks that no bytes are left.
  func finish() throws(SignatureRefusal) {
    guard offset == bytes.count else {
      throw SignatureRefusal(
        .trailingBytes, "\(bytes.count - offset) bytes follow the last field of \(subject)")
    }
  }
}
