import Digests

@testable import SSHSignatures

/// The fields of a signature, each to be replaced by a wrong one.
struct SignatureParts {
  var magic = Array("SSHSIG".utf8)
  var version = 1
  var key: [UInt8]
  var namespace = "rewards"
  var reserved: [UInt8] = []
  var hash = "sha512"
  var signature: [UInt8] = []
  var behind: [UInt8] = []

  /// A valid signature of `message`.
  init(
    _ signer: TestSigner, of message: [UInt8], namespace: String = "rewards",
    hash: String = "sha512"
  ) throws {
    key = signer.publicKey
    self.namespace = namespace
    self.hash = hash
    let digest =
      hash == "sha512" ? SHA512.digest(of: message) : SHA256.digest(of: message).bytes
    let signed = magic + Wire.string(namespace) + Wire.string(reserved) + Wire.string(hash)
    signature = try signer.sign(signed + Wire.string(digest))
  }

  /// The signature without its armour.
  var blob: [UInt8] {
    magic + Wire.number(version) + Wire.string(key) + Wire.string(namespace)
      + Wire.string(reserved) + Wire.string(hash) + Wire.string(signature) + behind
  }

  /// The signature as ssh-keygen writes it.
  var text: String { Self.armoured(blob) }

  /// A blob with its armour, in lines of 70 characters.
  static func armoured(_ blob: [UInt8]) -> String {
    let digits = Array(Base64.text(blob))
    let lines = stride(from: 0, to: digits.count, by: 70).map { start in
      String(digits[start..<min(start + 70, digits.count)])
    }
    return (["-----BEGIN SSH SIGNATURE-----"] + lines + ["-----END SSH SIGNATURE-----", ""])
      .joined(separator: "\n")
  }
}

/// Returns why the signature does not count; nil if it does.
func judge(
  _ blob: [UInt8], of message: [UInt8], namespace: String = "rewards"
) -> SignatureRefusal.Reason? {
  do throws(SignatureRefusal) {
    try SSHSignature(blob: blob).verify(message, namespace: namespace)
    return nil
  } catch {
    return error.reason
  }
}
