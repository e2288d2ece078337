/// The innermost part of a signature: its kind and its numbers.
enum SignatureValue {
  private static let ed25519Bytes = 64
  /// 32 bytes, after a zero byte if the first bit is 1.
  private static let longestNumber = 33

  /// Reads the bytes that ``SSHPublicKey/verifies(_:of:)`` takes from a signature of this kind.
  static func read(
    _ bytes: [UInt8], by kind: SSHPublicKey.Kind
  ) throws(SignatureRefusal) -> [UInt8] {
    var reader = WireReader(bytes, of: "the inner signature")
    let name = try reader.readText("kind")
    guard name == kind.rawValue else {
      throw SignatureRefusal(
        .signatureKind, "the signature is \(name.shown), but its key is \(kind.rawValue)")
    }
    let value = try reader.readString("value")
    try reader.finish()
    switch kind {
    case .ed25519:
      guard value.count == ed25519Bytes else {
        throw SignatureRefusal(
          .signature, "the signature has \(value.count) bytes instead of \(ed25519Bytes)")
      }
      return value
    case .ecdsaP256: return try sequence(value)
    }
  }

  /// Returns the DER sequence of the numbers r and s. A positive number has the same bytes in SSH and in DER.
  private static func sequence(_ value: [UInt8]) throws(SignatureRefusal) -> [UInt8] {
    var reader = WireReader(value, of: "the pair of r and s")
    var sequence: [UInt8] = []
    for name in ["r", "s"] {
      let number = try reader.readString(name)
      guard isPositive(number), number.count <= longestNumber else {
        throw SignatureRefusal(
          .signature, "\(name) is not a positive 256-bit number in its shortest form")
      }
      sequence += [0x02, UInt8(number.count)] + number
    }
    try reader.finish()
    return [0x30, UInt8(sequence.count)] + sequence
  }

  /// Whether the bytes are a number above 0 without needless leading zeros.
  private static func isPositive(_ number: [UInt8]) -> Bool {
    guard let first = number.first, first < 0x80 else { return false }
    return first > 0 || (number.count > 1 && number[1] >= 0x80)
  }
}
