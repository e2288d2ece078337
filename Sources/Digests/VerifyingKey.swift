internal import CCrypto

/// A public key that verifies signatures, by libcrypto: Ed25519 (RFC 8032) or ECDSA on P-256 with SHA-256 (FIPS 186-5).
/// Safe to use from any thread.
public final class VerifyingKey: Sendable {
  // Written only in `init`; libcrypto lets many threads use a key at once.
  nonisolated(unsafe) private let key: OpaquePointer
  private let hashesMessages: Bool

  /// The start of a SubjectPublicKeyInfo, up to the key's own bytes (RFC 8410, RFC 5480).
  private static let ed25519Header: [UInt8] = [
    0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
  ]
  private static let p256Header: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
    0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]

  /// Creates an Ed25519 key from its 32 bytes; nil for any other number.
  public init?(ed25519 bytes: [UInt8]) {
    guard bytes.count == 32, let key = Self.read(Self.ed25519Header + bytes) else { return nil }
    self.key = key
    hashesMessages = false
  }

  /// Creates a P-256 key from an uncompressed point, 65 bytes starting with 4; nil if it is not on the curve.
  public init?(p256 point: [UInt8]) {
    guard point.count == 65, point[0] == 4, let key = Self.read(Self.p256Header + point)
    else { return nil }
    self.key = key
    hashesMessages = true
  }

  deinit { EVP_PKEY_free(key) }

  private static func read(_ info: [UInt8]) -> OpaquePointer? {
    let key = info.withUnsafeBufferPointer { bytes in
      var next = bytes.baseAddress
      return d2i_PUBKEY(nil, &next, bytes.count)
    }
    if key == nil { ERR_clear_error() }
    return key
  }

  /// Returns whether this key signed `message`. `signature` has 64 bytes for Ed25519 and is a DER sequence for P-256.
  public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    let hash = hashesMessages ? EVP_sha256() : nil
    guard EVP_DigestVerifyInit(context, nil, hash, nil, key) == 1,
      EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    else {
      ERR_clear_error()
      return false
    }
    return true
  }
}
