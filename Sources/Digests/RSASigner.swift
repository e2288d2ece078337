internal import CCrypto

/// Signs with RSA, PKCS #1 v1.5 and SHA-256 (RS256 of RFC 7518), by libcrypto. Safe to use from any thread.
public final class RSASigner: Sendable {
  // Written only in `init`; libcrypto lets many threads use a key at once.
  nonisolated(unsafe) private let key: OpaquePointer

  /// Creates a signer from the private key in `pem` (PKCS #8 or PKCS #1, unencrypted); nil if `pem` holds no RSA key.
  public init?(pem: [UInt8]) {
    guard let key = pem.withUnsafeBytes({ Self.read($0) }) else {
      ERR_clear_error()
      return nil
    }
    guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else {
      EVP_PKEY_free(key)
      return nil
    }
    self.key = key
  }

  /// Reads the key in `pem`. libcrypto borrows the memory and does not copy it.
  private static func read(_ pem: UnsafeRawBufferPointer) -> OpaquePointer? {
    guard let memory = BIO_new_mem_buf(pem.baseAddress, Int32(clamping: pem.count)) else {
      return nil
    }
    defer { BIO_free(memory) }
    // Never prompts for a passphrase.
    return PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil)
  }

  deinit { EVP_PKEY_free(key) }

  /// Returns the signature of `message`; nil if libcrypto cannot make it.
  public func signature(of message: [UInt8]) -> [UInt8]? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { return nil }
    var count = 0
    guard EVP_DigestSign(context, nil, &count, message, message.count) == 1 else { return nil }
    var signature = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
      return nil
    }
    return Array(signature.prefix(count))
  }
}
