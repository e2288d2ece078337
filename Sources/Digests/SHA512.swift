internal import CCrypto

/// The SHA-512 hash (FIPS 180-4), by libcrypto.
public enum SHA512 {
  /// Returns the 64 bytes of the digest of `bytes`.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 64)
    EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha512(), nil)
    return digest
  }
}
