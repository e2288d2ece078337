/// Why a signature is refused.
package struct SignatureRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reasons by name.
  package enum Reason: String, CaseIterable, Sendable {
    /// The text does not start with `-----BEGIN SSH SIGNATURE-----`, or the END line is missing.
    case armour
    /// The text between BEGIN and END is not Base64.
    case base64
    /// The bytes end in the middle of a field.
    case truncated
    /// Bytes follow the last field.
    case trailingBytes = "trailing-bytes"
    /// The bytes do not start with `SSHSIG`.
    case magic
    /// The version is not 1.
    case version
    /// The reserved field is not empty.
    case reserved
    /// The message was hashed with something other than SHA-256 or SHA-512.
    case hash
    /// The kind of key is not accepted: RSA, other curves, certificates, `sk-` keys.
    case keyKind = "key-kind"
    /// The key is malformed: wrong length, wrong curve, or a point off the curve.
    case key
    /// The signature and its key are of different kinds.
    case signatureKind = "signature-kind"
    /// The innermost signature is malformed.
    case signature
    /// The signature was made for another namespace.
    case namespace
    /// The key did not sign this message.
    case mismatch
    /// No line of allowed_signers holds the key.
    case unknownKey = "unknown-key"
    /// The key belongs to other principals.
    case principal
    /// The key may not sign in this namespace.
    case keyNamespace = "key-namespace"
    /// The key is not valid yet.
    case notYetValid = "not-yet-valid"
    /// The key is no longer valid.
    case expired
    /// The key only signs certificates, which are not accepted.
    case certificateAuthority = "certificate-authority"
  }

  /// The reason by name.
  package let reason: Reason
  /// What is wrong, and where.
  package let cause: String

  /// What to do about it.
  package var remedy: String {
    switch reason {
    case .armour, .base64, .truncated, .trailingBytes, .magic:
      "use the .sig file exactly as ssh-keygen -Y sign wrote it"
    case .version, .reserved, .hash, .signatureKind, .signature:
      "sign again with OpenSSH's ssh-keygen -Y sign"
    case .keyKind, .key: "sign with an ssh-ed25519 or ecdsa-sha2-nistp256 key"
    case .namespace: "sign again with the right -n"
    case .mismatch: "sign exactly the bytes that are printed for this request, and by now"
    case .unknownKey:
      "sign with a key that is listed there; one that was added counts once two people have approved that"
    case .principal: "sign with one of this principal's keys"
    case .keyNamespace:
      "sign with another key, or add the namespace to this key's namespaces option"
    case .notYetValid, .expired: "sign with a key that is currently valid"
    case .certificateAuthority:
      "sign with a key that is not marked cert-authority"
    }
  }

  /// The cause and the remedy on one line.
  package var description: String { "\(cause); \(remedy)" }

  init(_ reason: Reason, _ cause: String) {
    self.reason = reason
    self.cause = cause
  }
}
