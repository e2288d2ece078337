internal import Digests

/// A public key of an accepted kind.
package struct SSHPublicKey: Sendable {
  /// The accepted kinds, by their SSH names (RFC 8709, RFC 5656).
  package enum Kind: String, CaseIterable, Sendable {
    case ed25519 = "ssh-ed25519"
    case ecdsaP256 = "ecdsa-sha2-nistp256"
  }

  /// The key's kind.
  package let kind: Kind
  /// The key in SSH's wire format, as in signatures and, in Base64, in allowed_signers.
  package let blob: [UInt8]
  private let key: VerifyingKey

  private static let curve = "nistp256"

  init(_ blob: [UInt8]) throws(SignatureRefusal) {
    var reader = WireReader(blob, of: "the public key")
    let name = try reader.readText("kind")
    guard let kind = Kind(rawValue: name) else {
      throw SignatureRefusal(.keyKind, "\(name.shown) keys are not accepted")
    }
    if kind == .ecdsaP256 {
      let curve = try reader.readText("curve")
      guard curve == Self.curve else {
        throw SignatureRefusal(.key, "the curve is \(curve.shown) instead of \(Self.curve)")
      }
    }
    let point = try reader.readString("point")
    try reader.finish()
    let key: VerifyingKey? =
      switch kind {
      case .ed25519: VerifyingKey(ed25519: point)
      case .ecdsaP256: VerifyingKey(p256: point)
      }
    guard let key else {
      throw SignatureRefusal(
        .key, "the \(point.count) bytes of the key are not a valid \(name) key")
    }
    self.kind = kind
    self.blob = blob
    self.key = key
  }

  /// The fingerprint as `ssh-keygen -l` prints it: `SHA256:` and 43 characters.
  package var fingerprint: String {
    "SHA256:" + Base64.text(SHA256.digest(of: blob).bytes).prefix { $0 != "=" }
  }

  /// Returns whether `signature` is this key's over `message`; see ``VerifyingKey/verifies(_:of:)``.
  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    key.verifies(signature, of: message)
  }
}

extension SSHPublicKey: Hashable {
  /// Returns whether the keys have the same bytes.
  package static func == (left: SSHPublicKey, right: SSHPublicKey) -> Bool {
    left.blob == right.blob
  }

  /// Hashes the key's bytes.
  package func hash(into hasher: inout Hasher) { hasher.combine(blob) }
}
