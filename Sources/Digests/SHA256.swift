internal import CCrypto

/// An incremental SHA-256 hash (FIPS 180-4), by libcrypto.
///
/// Feed it bytes with ``update(_:)``, then call ``finish()`` for the digest. Not thread-safe.
public struct SHA256: ~Copyable {
  private let context: OpaquePointer

  /// Creates a hash of no bytes.
  public init() {
    guard let fresh = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
    context = fresh
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// Adds bytes.
  public mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// Returns the digest of all bytes so far and starts again from none.
  public mutating func finish() -> Digest {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &words) { buffer in
      _ = EVP_DigestFinal_ex(context, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), nil)
    }
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
    return Digest(words: words)
  }

  /// Returns the digest of `bytes`.
  public static func digest(of bytes: [UInt8]) -> Digest {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }
}
