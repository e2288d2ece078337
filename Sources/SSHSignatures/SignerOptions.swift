package import CivilTime

/// The options of a line of allowed_signers.
package struct SignerOptions: Equatable, Sendable {
  /// The namespaces that the key may sign for; nil for all.
  package var namespaces: PatternList?
  /// The first second at which the key is valid; nil for no limit.
  package var validAfter: Instant?
  /// The last second at which the key is valid; nil for no limit.
  package var validBefore: Instant?
  /// Whether the key signs only certificates.
  package var isCertificateAuthority = false
}

extension SignerOptions {
  /// Parses the options of one line. Times without Z are in `naiveZone`.
  init(_ text: [UInt8], naiveZone: Zone?, line: Int) throws(SignerLineProblem) {
    var scanner = SignerLineScanner(text, line: line)
    var names: Set<String> = []
    repeat {
      let option = try scanner.readOption()
      guard names.insert(option.name).inserted else {
        throw scanner.problem("the option \(option.name.shown) appears twice", "write it once")
      }
      let time = SignerTime(naiveZone: naiveZone, option: option.name, line: line)
      switch (option.name, option.value) {
      case ("cert-authority", nil): isCertificateAuthority = true
      case ("namespaces", let value?): namespaces = PatternList(value)
      case ("valid-after", let value?): validAfter = try time.parse(value, laterOfTwo: true)
      case ("valid-before", let value?): validBefore = try time.parse(value, laterOfTwo: false)
      case ("cert-authority", _):
        throw scanner.problem("the option cert-authority has a value", "remove the value")
      case ("namespaces", nil), ("valid-after", nil), ("valid-before", nil):
        throw scanner.problem(
          "the option \(option.name) has no value", "write \(option.name)=\"…\", with the quotes")
      default:
        throw scanner.problem(
          "\(option.name.shown) is neither an option nor a key type",
          "write PRINCIPALS [OPTIONS] KEYTYPE BASE64 with the options namespaces, valid-after, valid-before"
        )
      }
    } while try scanner.skipComma()
    if let validAfter, let validBefore, validBefore <= validAfter {
      throw scanner.problem(
        "valid-before is not later than valid-after", "exchange the two, or correct one")
    }
  }
}
