internal import StrictJSON

/// Reads the answer of route 100.
enum LoginReader {
  /// The meaning of an answer to a login.
  enum Meaning {
    case token(Secret)
    /// The e-mail or password is not accepted.
    case rejected
    /// It is not a JSON object.
    case bad
  }

  /// Returns the meaning of `body`: a token, unless the answer itself says that it failed.
  static func read(_ body: [UInt8]) -> Meaning {
    body.withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes, depthLimit: 32)
      do throws(JSONError) {
        return try read(from: &reader)
      } catch {
        return .bad
      }
    }
  }

  private static func read(from reader: inout JSONReader) throws(JSONError) -> Meaning {
    var token: String?
    var isRejected = false
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "token":
        guard try reader.peek() == .string else { return try reader.skipValue() }
        token = try reader.readString()
      case "success":
        guard try reader.peek() == .bool else { return try reader.skipValue() }
        isRejected = try !reader.readBool()
      default: try reader.skipValue()
      }
    }
    try reader.finish()
    guard let token, !token.isEmpty, !isRejected else { return .rejected }
    return .token(Secret(token))
  }
}
