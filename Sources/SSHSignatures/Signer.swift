/// A signer: the key, and the lines of allowed_signers that let it sign.
package struct Signer: Sendable {
  /// The key that signed.
  package let key: SSHPublicKey
  /// The lines that let it sign, at least one.
  package let lines: [AllowedSigner]

  /// The key's fingerprint, `SHA256:…`.
  package var fingerprint: String { key.fingerprint }
  /// The principals of these lines, as written.
  package var principals: [String] { lines.map(\.principals.text) }
}
