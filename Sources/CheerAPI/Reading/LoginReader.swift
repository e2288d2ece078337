internal import StrictJSON

/// Reads the answer of route 100.
enum LoginReader {
  /// Returns the token in `body`; nil if there is none, or if the answer itself says that the e-mail or the password is not accepted.
  /// Throws if it is no JSON object.
  static func read(_ body: [UInt8]) throws(JSONError) -> Secret? {
    try body.withUnsafeBufferPointer { (bytes) throws(JSONError) in
      var reader = JSONReader(bytes, depthLimit: 32)
      return try read(from: &reader)
    }
  }

  private static func read(from reader: inout JSONReader) throws(JSONError) -> Secret? {
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
    guard let token, !token.isEmpty, !isRejected else { return nil }
    return Secret(token)
  }
}
