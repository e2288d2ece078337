import CivilTime
import TestSupport
import Testing

@testable import SSHSignatures

@Suite(.offThePool) struct AllowedSignersTests {
  private static let message = Array("a message".utf8)

  /// `KEY` in the text stands for this key.
  private static let key = Result { try TestSigner(.ed25519).line }

  private static func parse(_ text: String, naiveZone: Zone? = nil) throws -> AllowedSigners {
    AllowedSigners(
      Array(try text.replacing("KEY", with: key.get()).utf8), naiveZone: naiveZone)
  }

  private static func instant(_ text: String) throws -> Instant {
    try InstantText.parse(text).instant
  }

  /// Who signed, or why it does not count.
  private static func signer(
    _ text: String, as principal: String? = nil, at instant: String = "2026-11-26T12:00:00Z",
    seed: UInt8 = 1
  ) throws -> Result<Signer, SignatureRefusal> {
    let parts = try SignatureParts(TestSigner(.ed25519, seed: seed), of: message)
    let signature = try SSHSignature(blob: parts.blob)
    let signers = try parse(text)
    let at = try Self.instant(instant)
    return Result { () throws(SignatureRefusal) in
      try signers.signer(
        of: message, by: signature, namespace: "rewards", at: at, as: principal)
    }
  }

  private static func reason(
    _ text: String, as principal: String? = nil, at instant: String = "2026-11-26T12:00:00Z",
    seed: UInt8 = 1
  ) throws -> SignatureRefusal.Reason? {
    switch try signer(text, as: principal, at: instant, seed: seed) {
    case .success: nil
    case .failure(let refusal): refusal.reason
    }
  }

  @Test func aLineSaysWhoWhatAndWhen() throws {
    let signers = try Self.parse(
      """
      # who may agree

      alice@example.org,*@ops.example.org KEY alice's laptop
      \t"bob b,bob" NameSpaces="git,re*",valid-after="20261101Z",valid-before="202612010830Z"  KEY
      carol cert-authority KEY\r
      """)
    #expect(signers.problems == [])
    #expect(signers.signers.map(\.line) == [3, 4, 5])
    #expect(
      signers.signers.map(\.principals.text)
        == ["alice@example.org,*@ops.example.org", "bob b,bob", "carol"])
    #expect(signers.signers[0].options == SignerOptions())
    let options = signers.signers[1].options
    #expect(options.namespaces?.text == "git,re*")
    #expect(options.validAfter == (try Self.instant("2026-11-01T00:00:00Z")))
    #expect(options.validBefore == (try Self.instant("2026-12-01T08:30:00Z")))
    #expect(signers.signers[2].options.isCertificateAuthority)
    #expect(signers.unused.map(\.line) == [5])
  }

  @Test func theSignerHasAFingerprintAndTheNamesOfAllLines() throws {
    let text = "x KEY\nalice,a* KEY\nbob valid-before=\"20200101Z\" KEY\n\"alice b,al*\" KEY\n"
    let signer = try Self.signer(text, as: "alice").get()
    #expect(signer.principals == ["alice,a*", "alice b,al*"])
    #expect(signer.lines.map(\.line) == [2, 4])
    // As ssh-keygen -l prints it.
    #expect(signer.fingerprint == "SHA256:uRk8Z7+fPzk1fVtKXn8qbAmaccHHI6kI7OXPYlQ+YjA")
    #expect(try Self.signer(text).get().principals == ["x", "alice,a*", "alice b,al*"])
  }

  @Test func whyAKeyMayNotSignIsNamed() throws {
    #expect(try Self.reason("alice KEY") == nil)
    #expect(try Self.reason("") == .unknownKey)
    #expect(try Self.reason("alice KEY", seed: 2) == .unknownKey)
    #expect(try Self.reason("alice KEY", as: "bob") == .principal)
    #expect(try Self.reason("*,!bob KEY", as: "bob") == .principal)
    #expect(try Self.reason("alice cert-authority KEY") == .certificateAuthority)
    #expect(try Self.reason("alice namespaces=\"git\" KEY") == .keyNamespace)
    #expect(try Self.reason("alice namespaces=\"*,!rewards\" KEY") == .keyNamespace)
    // What stands in the way of the principal's own line, not that other lines are others'.
    #expect(try Self.reason("bob KEY\nalice namespaces=\"git\" KEY", as: "alice") == .keyNamespace)
    #expect(try Self.reason("alice namespaces=\"git\" KEY\nalice KEY", as: "alice") == nil)
  }

  @Test func aKeyIsValidFromAndThroughItsTimes() throws {
    let text = "alice valid-after=\"20261101Z\",valid-before=\"20261201Z\" KEY"
    #expect(try Self.reason(text, at: "2026-10-31T23:59:59.9Z") == .notYetValid)
    #expect(try Self.reason(text, at: "2026-11-01T00:00:00Z") == nil)
    #expect(try Self.reason(text, at: "2026-12-01T00:00:00Z") == nil)
    #expect(try Self.reason(text, at: "2026-12-01T00:00:01Z") == .expired)
  }

  @Test func linesThatCannotBeReadAreNamedWhereTheKeyIsMissing() throws {
    let refusal = #expect(throws: SignatureRefusal.self) {
      try Self.signer("broken\nalice namespaces=x KEY\n").get()
    }
    #expect(refusal?.reason == .unknownKey)
    #expect(refusal?.cause.hasSuffix("whose lines 1, 2 have mistakes") == true)
  }

  @Test(arguments: [
    ("alice", "the key is missing"),
    ("alice namespaces=\"git\"", "the key is missing"),
    ("alice ssh-ed25519", "is not followed by Base64"),
    ("alice ssh-ed25519 ****", "is not followed by Base64"),
    ("alice ssh-ed25519 AAAA", "ends in the middle of its kind"),
    ("alice ecdsa-sha2-nistp256 KEY", "is not followed by Base64"),
    ("alice foo KEY", "\"foo\" is neither an option nor a key type"),
    ("alice, bob KEY", "\"bob\" is neither an option nor a key type"),
    ("alice namespaces=git KEY", "is not quoted"),
    ("alice namespaces KEY", "has no value"),
    ("alice cert-authority=\"\" KEY", "has a value"),
    ("alice namespaces=\"a\",namespaces=\"b\" KEY", "appears twice"),
    ("alice namespaces=\"a\", KEY", "an option is missing"),
    ("alice namespaces=\"a\"x KEY", "a comma is missing"),
    ("alice namespaces=\"a KEY", "closing quote of an option"),
    ("alice valid-after=\"20261101Z\" valid-before=\"20261201Z\" KEY", "is not a key type"),
    ("alice valid-after=\"20261101\" KEY", "has no time zone"),
    ("alice valid-after=\"2026\" KEY", "is not a time"),
    ("alice valid-after=\"20260229Z\" KEY", "is not a time"),
    ("alice valid-after=\"2026022824Z\" KEY", "is not a time"),
    ("alice valid-after=\"202602282400Z\" KEY", "is not a time"),
    ("alice valid-after=\"20261201Z\",valid-before=\"20261101Z\" KEY", "not later"),
    ("alice valid-after=\"20261101Z\",valid-before=\"20261101Z\" KEY", "not later"),
    ("\"alice KEY", "closing quote of the principals"),
    ("al\"ice\" KEY", "inside the principals"),
    ("\"alice\"KEY", "a blank is missing"),
    ("alice\u{1} KEY", "a control character"),
  ])
  func aLineThatIsWrongIsAProblemAndCountsForNobody(line: String, cause: String) throws {
    let signers = try Self.parse("# comment\n\(line)\nbob KEY")
    #expect(signers.signers.map(\.line) == [3])
    let problem = try #require(signers.problems.first)
    #expect(problem.line == 2)
    #expect(problem.cause.contains(cause), "\(problem)")
    #expect(problem.description.contains("; "))
    #expect(try Self.reason(line) == .unknownKey)
  }

  @Test func theKindOfAKeyIsWhatTheLineSays() throws {
    let other = try Self.key.get().split(separator: " ")[1]
    let signers = try Self.parse("alice ecdsa-sha2-nistp256 \(other)")
    #expect(signers.problems.map(\.cause).first?.contains("but the key is ssh-ed25519") == true)
  }

  @Test(arguments: [
    "ssh-rsa", "ecdsa-sha2-nistp384", "sk-ssh-ed25519@openssh.com",
    "ssh-ed25519-cert-v01@openssh.com",
  ])
  func otherKindsOfKeysAreListedAndUnused(kind: String) throws {
    let signers = try Self.parse("alice namespaces=\"git\" \(kind) AAAA\nbob KEY")
    #expect(signers.signers.map(\.line) == [2])
    #expect(signers.problems == [])
    #expect(
      signers.unused.map(\.description) == [
        "line 1: \"\(kind)\" keys are not accepted; sign with an ssh-ed25519 or ecdsa-sha2-nistp256 key"
      ])
  }

  @Test func localTimesMakeAKeyValidForLessLong() throws {
    // An hour forward at 1000000000 (2001-09-09T01:46:40Z), an hour back at 1100000000 (2004-11-09T11:33:20Z).
    let tzif = TZifBuilder(
      transitions: [(1_000_000_000, 1), (1_100_000_000, 0)], offsets: [0, 3_600], footer: "")
    let zone = try Zone(name: "Test/Zone", tzif: tzif.bytes)
    func times(_ text: String) throws -> [Instant?] {
      let signers = try Self.parse(
        "a valid-after=\"\(text)\" KEY\na valid-before=\"\(text)\" KEY", naiveZone: zone)
      return signers.signers.flatMap { [$0.options.validAfter, $0.options.validBefore] }
        .filter { $0 != nil }
    }
    #expect(
      try times("20020101") == [Instant(seconds: 1_009_839_600), Instant(seconds: 1_009_839_600)])
    #expect(
      try times("20020101Z") == [Instant(seconds: 1_009_843_200), Instant(seconds: 1_009_843_200)])
    #expect(
      try times("20010909020000") == [
        Instant(seconds: 1_000_000_800), Instant(seconds: 1_000_000_000),
      ])
    #expect(
      try times("20041109120000") == [
        Instant(seconds: 1_100_001_600), Instant(seconds: 1_099_998_000),
      ])
  }
}
