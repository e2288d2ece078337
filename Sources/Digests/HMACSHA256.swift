internal import CCrypto

/// HMAC-SHA256 (RFC 2104), by libcrypto.
public enum HMACSHA256 {
  /// The code of `message` under `key`.
  public static func code(key: [UInt8], message: [UInt8]) -> Digest {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &words) { buffer in
      _ = HMAC(
        EVP_sha256(), key, Int32(key.count), message, message.count,
        buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), nil)
    }
    return Digest(words: words)
  }
}
