package import CivilTime

/// A line of allowed_signers: a key, whose it is, and what limits it.
package struct AllowedSigner: Sendable {
  /// The line's number, from 1.
  package let line: Int
  /// The names that the key may sign as.
  package let principals: PatternList
  /// The key.
  package let key: SSHPublicKey
  /// What limits the key.
  package let options: SignerOptions

  /// The names and the key, as in `alice@example.org (key SHA256:…)`.
  package var words: String { "\(principals.text) (key \(key.fingerprint))" }

  /// Returns why the key may not sign as `principal` (nil for anybody) for `namespace` at `instant`; nil if it may.
  package func refusal(
    as principal: String?, for namespace: String, at instant: Instant
  ) -> SignatureRefusal? {
    let subject = "the key \(key.fingerprint) (line \(line) of allowed_signers)"
    if let principal, !principals.matches(principal) {
      return SignatureRefusal(.principal, "\(subject) does not belong to \(principal.shown)")
    }
    if options.isCertificateAuthority {
      return SignatureRefusal(.certificateAuthority, "\(subject) only signs certificates")
    }
    if let namespaces = options.namespaces, !namespaces.matches(namespace) {
      return SignatureRefusal(.keyNamespace, "\(subject) may not sign for \(namespace.shown)")
    }
    if let start = options.validAfter, instant.seconds < start.seconds {
      return SignatureRefusal(
        .notYetValid, "\(subject) is valid from \(start), and it is \(instant)")
    }
    if let end = options.validBefore, instant.seconds > end.seconds {
      return SignatureRefusal(.expired, "\(subject) was valid until \(end), and it is \(instant)")
    }
    return nil
  }
}
