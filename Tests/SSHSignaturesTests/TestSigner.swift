import CCrypto
import Digests
import Testing

@testable import SSHSignatures

/// A private key that signs as `ssh-keygen -Y sign` does.
final class TestSigner {
  /// libcrypto cannot sign.
  struct Failed: Error {}

  let kind: SSHPublicKey.Kind
  private let key: OpaquePointer

  /// The key of this kind whose secret is the seed's hash.
  init(_ kind: SSHPublicKey.Kind, seed: UInt8 = 1) throws {
    let secret = SHA256.digest(of: [seed]).bytes
    let der: [UInt8] =
      switch kind {
      case .ed25519:
        [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04]
          + [0x20] + secret
      case .ecdsaP256:
        [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20] + secret
          + [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
      }
    let key = der.withUnsafeBufferPointer { bytes in
      var next = bytes.baseAddress
      return d2i_AutoPrivateKey(nil, &next, bytes.count)
    }
    self.kind = kind
    self.key = try #require(key)
  }

  deinit { EVP_PKEY_free(key) }

  /// The public key in SSH's wire format.
  var publicKey: [UInt8] {
    var der: UnsafeMutablePointer<UInt8>?
    let count = Int(i2d_PUBKEY(key, &der))
    defer { CRYPTO_free(der, #file, #line) }
    let info = Array(UnsafeBufferPointer(start: der, count: count))
    return switch kind {
    case .ed25519: Wire.string(kind.rawValue) + Wire.string(info.suffix(32))
    case .ecdsaP256:
      Wire.string(kind.rawValue) + Wire.string("nistp256") + Wire.string(info.suffix(65))
    }
  }

  /// The key as it stands in allowed_signers.
  var line: String { "\(kind.rawValue) \(Base64.text(publicKey))" }

  /// The inner signature of `bytes`: the kind, and 64 bytes or r and s.
  func sign(_ bytes: [UInt8]) throws -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    let hash = kind == .ed25519 ? nil : EVP_sha256()
    var signature = [UInt8](repeating: 0, count: 128)
    var count = signature.count
    guard EVP_DigestSignInit(context, nil, hash, nil, key) == 1,
      EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1
    else { throw Failed() }
    let value = Array(signature.prefix(count))
    return Wire.string(kind.rawValue)
      + Wire.string(kind == .ed25519 ? value : Self.numbers(in: value))
  }

  /// The numbers of a DER sequence, whose lengths are of one byte.
  private static func numbers(in der: [UInt8]) -> [UInt8] {
    let middle = 4 + Int(der[3])
    return Wire.string(der[4..<middle]) + Wire.string(der[(middle + 2)...])
  }
}

/// SSH's wire format.
enum Wire {
  static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  static func string(_ bytes: some Collection<UInt8>) -> [UInt8] { number(bytes.count) + bytes }

  static func string(_ text: String) -> [UInt8] { string(Array(text.utf8)) }
}
