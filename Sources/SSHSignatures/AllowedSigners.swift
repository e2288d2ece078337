package import CivilTime

/// An `allowed_signers` file as ssh-keygen(1) and git use it: who may sign with which key.
///
/// Like ssh-keygen, ignores lines with mistakes and uses the rest; ``problems`` lists the mistakes.
package struct AllowedSigners: Sendable {
  /// The usable lines, in order.
  package let signers: [AllowedSigner]
  /// The mistakes, in order of their lines.
  package let problems: [SignerLineProblem]
  /// The lines that ssh-keygen understands but that cannot sign here: other kinds of keys, certificate authorities.
  package let unused: [SignerLineProblem]

  /// Parses the file. Times without a Z are local times in `naiveZone`; without one they are problems.
  package init(_ text: [UInt8], naiveZone: Zone? = nil) {
    var parser = AllowedSignersParser(naiveZone: naiveZone)
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() { parser.parse(line, line: index + 1) }
    (signers, problems, unused) = (parser.signers, parser.problems, parser.unused)
  }

  /// Returns who signed `message` for `namespace`, by a key that is valid at `instant`.
  ///
  /// With a `principal`, only lines for that name count, as with `ssh-keygen -Y verify -I`.
  package func signer(
    of message: [UInt8], by signature: SSHSignature, namespace: String, at instant: Instant,
    as principal: String? = nil
  ) throws(SignatureRefusal) -> Signer {
    try signature.verify(message, namespace: namespace)
    let lines = signers.filter { $0.key == signature.key }
    let refusals = lines.map { $0.refusal(as: principal, for: namespace, at: instant) }
    let valid = zip(lines, refusals).filter { $0.1 == nil }.map(\.0)
    guard valid.isEmpty else { return Signer(key: signature.key, lines: valid) }
    let known = refusals.compactMap { $0 }
    throw known.first { $0.reason != .principal } ?? known.first ?? unknown(signature.key)
  }

  private func unknown(_ key: SSHPublicKey) -> SignatureRefusal {
    let wrong = problems.map { "\($0.line)" }.joined(separator: ", ")
    let hint = wrong.isEmpty ? "" : ", whose lines \(wrong) have mistakes"
    return SignatureRefusal(
      .unknownKey, "the key \(key.fingerprint) is not in allowed_signers\(hint)")
  }
}
