import CheerAPI
import Failures
import Foundation
import TestSupport
import Testing

@Suite(.offThePool) struct CredentialFileTests {
  private func read(_ text: String, mode: mode_t = 0o600) throws -> [String: Credential] {
    let path = NSTemporaryDirectory() + "credentials-\(UUID().uuidString).jsonl"
    defer { unlink(path) }
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, mode)
    return try CredentialFile.read(path: path)
  }

  @Test func tokensAndLoginsLineByLine() throws {
    let credentials = try read(
      """
      {"user":"a","token":"ta"}

      {"password":"p","email":"b@x.example","user":"b"}\r

      """)
    #expect(
      credentials == [
        "a": .token(Secret("ta")),
        "b": .login(email: Secret("b@x.example"), password: Secret("p")),
      ])
  }

  @Test func remarksAndNumbersAreFine() throws {
    let credentials = try read(
      """
      // {"user":"x","token":"tx"}
        // more
      {"user":4711,"token":"//"}
      """)
    #expect(credentials == ["4711": .token(Secret("//"))])
  }

  /// An error names the file, the line and what is expected, and shows how to write it.
  @Test(arguments: [
    (#"{"user":"a""#, "expected one JSON object; byte 12 cannot be read"),
    (#"["hush"]"#, "expected one JSON object"),
    (#"{"user":"a","hush":"b"}"#, "unknown key; expected user, token, email or password"),
    (#"{"user":"a","token":7}"#, "expected a non-empty text as \"token\""),
    (
      #"{"user":"a b","token":"hush"}"#,
      "expected \"user\" with 1 to 64 characters of A-Z a-z 0-9 _ . -"
    ),
    (
      #"{"user":"a","token":"hush","email":"e"}"#,
      "expected either \"token\", or \"email\" and \"password\""
    ),
  ])
  func anErrorShowsHowToWriteALine(line: String, what: String) {
    #expect { try read("{\"user\":\"z\",\"token\":\"z\"}\n\(line)\n") } throws: { error in
      guard let failure = (error as? CredentialError)?.failure else { return false }
      return failure.cause == what && failure.place?.hasSuffix(".jsonl, line 2") == true
        && failure.remedy
          == "Write one user a line: {\"user\": \"4711\", \"token\": \"TOKEN\"} or {\"user\": \"4712\", \"email\": \"EMAIL\", \"password\": \"PASSWORD\"}"
        && !"\(failure)\(error)".contains("hush")
    }
  }

  @Test(arguments: [0o644, 0o640, 0o604, 0o660, 0o601, 0o620] as [mode_t])
  func aFileThatOthersMayTouchIsRefused(mode: mode_t) {
    #expect { try read(#"{"user":"a","token":"hush"}"#, mode: mode) } throws: { error in
      "\(error)".contains("chmod 600") && !"\(error)".contains("hush")
    }
  }

  @Test(arguments: [
    "nonsense", "[]", #"{"user":"a"}"#, #"{"token":"hush"}"#, #"{"user":"a","token":""}"#,
    #"{"user":"a","token":7}"#, #"{"user":"a/b","token":"hush"}"#,
    #"{"user":"a","token":"hush","email":"e"}"#, #"{"user":"a","email":"e"}"#,
    #"{"user":"a","token":"hush","hush":1}"#, #"{"user":"a","token":"hush","token":"hush"}"#,
    #"{"user":"a","token":"hush"} hush"#,
    "{\"user\":\"a\",\"token\":\"hush\"}\n{\"user\":\"a\",\"token\":\"x\"}",
  ])
  func aBadLineIsNamedAndNotRepeated(text: String) {
    #expect { try read("\n" + text) } throws: { error in
      let error = error as? CredentialError
      return (error?.line ?? 0) >= 2 && error.map { !"\($0)".contains("hush") } ?? false
    }
  }

  @Test func whatIsNoPlainFileIsRefused() {
    #expect(throws: CredentialError.self) { try CredentialFile.read(path: "/nonexistent/file") }
    #expect(throws: CredentialError.self) { try CredentialFile.read(path: "/tmp") }
    #expect(throws: CredentialError.self) { try CredentialFile.read(path: "/dev/null") }
  }

  @Test func aSecretIsNeverSeen() {
    let secret = Secret("hush")
    var dumped = ""
    dump([secret], to: &dumped)
    dump(Credential.login(email: secret, password: secret), to: &dumped)
    dump(["a": CredentialSource.serviceToken(secret)], to: &dumped)
    let texts = [
      "\(secret)", "\([secret])", String(reflecting: secret), String(describing: Optional(secret)),
      "\(Credential.token(secret))", "\(CredentialSource.perUser(["a": .token(secret)]))", dumped,
    ]
    for text in texts { #expect(!text.contains("hush"), "\(text)") }
    #expect(secret.revealed == "hush")
  }

  @Test(arguments: [
    "", "ftp://x", "https://", "https:///a", "https://a b", "https://u:p@h", "https://h?q",
    "https://h#f",
  ])
  func aBadBaseURLIsRefused(text: String) {
    #expect(throws: BaseURLError.self) { try BaseURL(text) }
  }
}
