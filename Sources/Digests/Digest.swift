/// The 32 bytes of a SHA-256 digest or HMAC.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
  // Four words in memory order, so that a digest costs no allocation.
  var words: (UInt64, UInt64, UInt64, UInt64)

  init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

  /// 32 zero bytes, the `prev` of the first seal.
  public static let zero = Digest(words: (0, 0, 0, 0))

  /// Parses 64 lower-case hex digits; nil for anything else.
  public init?(hex: UnsafeBufferPointer<UInt8>) {
    guard hex.count == 64 else { return nil }
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    var isHex = true
    withUnsafeMutableBytes(of: &words) { buffer in
      for index in 0..<32 {
        let high = Self.nibble(hex[2 * index])
        let low = Self.nibble(hex[2 * index + 1])
        if high > 15 || low > 15 { isHex = false }
        buffer[index] = high << 4 | low & 15
      }
    }
    guard isHex else { return nil }
    self.words = words
  }

  /// Parses 64 lower-case hex digits; nil for anything else.
  public init?(hex: String) {
    let bytes = Array(hex.utf8)
    guard let digest = bytes.withUnsafeBufferPointer({ Digest(hex: $0) }) else { return nil }
    self = digest
  }

  /// Calls `body` with the 32 bytes.
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeBytes(of: words, body)
  }

  /// The 32 bytes.
  public var bytes: [UInt8] { withBytes { Array($0) } }

  /// The digest as 64 lower-case hex digits.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    var hex: [UInt8] = []
    hex.reserveCapacity(64)
    withBytes { bytes in
      for byte in bytes {
        hex.append(digits[Int(byte >> 4)])
        hex.append(digits[Int(byte & 15)])
      }
    }
    return String(decoding: hex, as: UTF8.self)
  }

  /// Returns whether the bytes are equal.
  public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
  }

  private static func nibble(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: 0xFF
    }
  }
}

extension Digest: Comparable {
  /// Compares the digests as big-endian numbers.
  public static func < (left: Digest, right: Digest) -> Bool {
    let (left, right) = (left.words, right.words)
    if left.0 != right.0 { return left.0.bigEndian < right.0.bigEndian }
    if left.1 != right.1 { return left.1.bigEndian < right.1.bigEndian }
    if left.2 != right.2 { return left.2.bigEndian < right.2.bigEndian }
    return left.3.bigEndian < right.3.bigEndian
  }
}
