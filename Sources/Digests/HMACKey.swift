internal import CCrypto

/// A key of HMAC-SHA256 (RFC 2104), prepared once for many short messages: several times as fast as
/// ``HMACSHA256/code(key:message:)``, which prepares its key anew. Safe to use from any thread.
public final class HMACKey: Sendable {
  // Digests that have taken in the padded key. Written in `init` only, copied from afterwards.
  nonisolated(unsafe) private let inner: OpaquePointer
  nonisolated(unsafe) private let outer: OpaquePointer

  private static let blockBytes = 64

  /// The key with these bytes; one that is longer than a block is hashed first, as the RFC says.
  public init(_ key: [UInt8]) {
    let block = key.count > Self.blockBytes ? SHA256.digest(of: key).bytes : key
    inner = Self.digest(after: block, pad: 0x36)
    outer = Self.digest(after: block, pad: 0x5C)
  }

  deinit {
    EVP_MD_CTX_free(inner)
    EVP_MD_CTX_free(outer)
  }

  /// The code of `message`.
  public func code(_ message: String) -> Digest {
    var message = message
    return message.withUTF8 { code(UnsafeRawBufferPointer($0)) }
  }

  private func code(_ message: UnsafeRawBufferPointer) -> Digest {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    let scratch = Self.makeContext()
    defer { EVP_MD_CTX_free(scratch) }
    withUnsafeMutableBytes(of: &words) { buffer in
      let bytes = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      EVP_MD_CTX_copy_ex(scratch, inner)
      EVP_DigestUpdate(scratch, message.baseAddress, message.count)
      EVP_DigestFinal_ex(scratch, bytes, nil)
      EVP_MD_CTX_copy_ex(scratch, outer)
      EVP_DigestUpdate(scratch, bytes, buffer.count)
      EVP_DigestFinal_ex(scratch, bytes, nil)
    }
    return Digest(words: words)
  }

  private static func digest(after key: [UInt8], pad: UInt8) -> OpaquePointer {
    var block = [UInt8](repeating: pad, count: blockBytes)
    for (index, byte) in key.enumerated() { block[index] ^= byte }
    let context = makeContext()
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
    EVP_DigestUpdate(context, block, block.count)
    return context
  }

  private static func makeContext() -> OpaquePointer {
    guard let fresh = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
    return fresh
  }
}

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
