import RewardRules
import TestSupport
import Testing

/// Secrets that a ledger is not begun with.
@Suite(.offThePool) struct DrawSecretObjectionTests {
  @Test(arguments: [
    "short", "aaaaaaaaaaaaaaaaaaaaaaaa", "abcdefghijklmnopqrstuvwxyz", "0123456789abcdef",
    "passwordpasswordpassword", "changeme-changeme-secret", "1111111122222222",
  ])
  func refuses(secret: String) {
    #expect(DrawSecret.objection(to: Array(secret.utf8)) != nil)
  }

  @Test(arguments: [
    "5f0c9e21b7d3448aa1c6e0f97d2b3815", "the draws of a test, always the same",
    "u8mQ2v7Lr0zXk5Tn", "aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ=",
  ])
  func takes(secret: String) {
    #expect(DrawSecret.objection(to: Array(secret.utf8)) == nil)
  }
}
