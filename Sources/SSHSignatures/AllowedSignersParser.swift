internal import CivilTime
internal import Digests

/// Parses lines of allowed_signers.
struct AllowedSignersParser {
  let naiveZone: Zone?
  private(set) var signers: [AllowedSigner] = []
  private(set) var problems: [SignerLineProblem] = []
  private(set) var unused: [SignerLineProblem] = []

  /// How key types start; no option starts like that.
  private static let kindPrefixes = ["ssh-", "ecdsa-sha2-", "sk-", "rsa-sha2-", "webauthn-"]

  init(naiveZone: Zone?) { self.naiveZone = naiveZone }

  /// Parses one line, without its newline.
  mutating func parse(_ bytes: ArraySlice<UInt8>, line: Int) {
    let blanks = Array(" \t\r".utf8)
    let text = bytes.drop { blanks.contains($0) }
    let end = text.lastIndex { !blanks.contains($0) } ?? text.startIndex
    guard let first = text.first, first != UInt8(ascii: "#") else { return }
    do throws(SignerLineProblem) {
      try parseFields(Array(text[...end]), line: line)
    } catch {
      problems.append(error)
    }
  }

  private mutating func parseFields(_ text: [UInt8], line: Int) throws(SignerLineProblem) {
    var scanner = SignerLineScanner(text, line: line)
    guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
      throw scanner.problem("the line contains a control character", "remove it")
    }
    let principals = PatternList(try scanner.readPrincipals())
    let (options, name) = try readOptionsAndKind(&scanner, line: line)
    guard let kind = SSHPublicKey.Kind(rawValue: name) else {
      let remedy = "sign with an ssh-ed25519 or ecdsa-sha2-nistp256 key"
      unused.append(scanner.problem("\(name.shown) keys are not accepted", remedy))
      return
    }
    let key = try readKey(&scanner, kind)
    if options.isCertificateAuthority {
      unused.append(
        scanner.problem(
          "certificates are not accepted, so a cert-authority cannot sign",
          "list each signer's own key"))
    }
    signers.append(
      AllowedSigner(line: line, principals: principals, key: key, options: options))
  }

  private func readOptionsAndKind(
    _ scanner: inout SignerLineScanner, line: Int
  ) throws(SignerLineProblem) -> (SignerOptions, kind: String) {
    let isKind = { (word: String) in Self.kindPrefixes.contains { word.hasPrefix($0) } }
    var behind = scanner
    let word = String(decoding: behind.readWord(), as: UTF8.self)
    if isKind(word) {
      scanner = behind
      return (SignerOptions(), word)
    }
    scanner.skipBlanks()
    let text = try scanner.readOptions()
    guard !text.isEmpty else {
      throw scanner.problem("the key is missing", "write PRINCIPALS KEYTYPE BASE64")
    }
    let options = try SignerOptions(text, naiveZone: naiveZone, line: line)
    let kind = String(decoding: scanner.readWord(), as: UTF8.self)
    guard isKind(kind) else {
      throw scanner.problem(
        kind.isEmpty ? "the key is missing" : "\(kind.shown) is not a key type",
        "write KEYTYPE BASE64 after the options, and no blanks between options")
    }
    return (options, kind)
  }

  private func readKey(
    _ scanner: inout SignerLineScanner, _ kind: SSHPublicKey.Kind
  ) throws(SignerLineProblem) -> SSHPublicKey {
    let remedy = "copy the key from the signer's .pub file"
    guard let blob = Base64.bytes(String(decoding: scanner.readWord(), as: UTF8.self)),
      !blob.isEmpty
    else { throw scanner.problem("\(kind.rawValue) is not followed by Base64", remedy) }
    do throws(SignatureRefusal) {
      let key = try SSHPublicKey(blob)
      if key.kind == kind { return key }
      throw SignatureRefusal(
        .keyKind, "the line says \(kind.rawValue), but the key is \(key.kind.rawValue)")
    } catch {
      throw scanner.problem(error.cause, remedy)
    }
  }
}
