internal import Digests

/// The key of all random draws. Anyone who has it can repeat them, so no text representation of this type reveals it.
public struct DrawSecret: Sendable {
  private let key: HMACKey
  /// The first 16 hex digits of the secret's SHA-256, by which the ledger names the secret.
  public let fingerprint: String

  /// Creates a secret.
  public init(_ bytes: [UInt8]) {
    key = HMACKey(bytes)
    fingerprint = String(SHA256.digest(of: bytes).description.prefix(16))
  }

  /// Returns a reason not to begin a ledger with this secret; nil if it is long and mixed enough.
  ///
  /// No test can recognise every guessable secret. This one catches those that people write without thinking.
  public static func objection(to bytes: [UInt8]) -> String? {
    if bytes.count < leastBytes { return "it has fewer than \(leastBytes) bytes" }
    if Set(bytes).count < leastDifferent {
      return "it has fewer than \(leastDifferent) different characters"
    }
    let steps = zip(bytes, bytes.dropFirst()).count { $1 == $0 &+ 1 || $1 == $0 || $0 == $1 &+ 1 }
    if 2 * steps > bytes.count { return "most of it is a simple sequence" }
    var rest = String(decoding: bytes, as: UTF8.self).lowercased()
    for word in commonWords { rest.replace(word, with: "") }
    return rest.utf8.count < leastBytes / 2 ? "it consists of words that anyone would guess" : nil
  }

  private static let leastBytes = 16
  private static let leastDifferent = 8
  private static let commonWords = [
    "password", "passwort", "secret", "changeme", "example", "rewards", "reward", "cheer",
    "supports", "draw", "test", "admin", "letmein", "qwerty", "1234567890", "123456", "0123",
  ]

  /// Returns the HMAC-SHA256 of `message` followed by `rest`, under the secret.
  func code(_ message: String, _ rest: String = "") -> Digest { key.code(message, rest) }
}

extension DrawSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The fingerprint, never the secret.
  public var description: String { "draw secret \(fingerprint)" }
  /// The fingerprint, never the secret.
  public var debugDescription: String { description }
  /// The fingerprint, never the secret.
  public var customMirror: Mirror { Mirror(self, children: ["fingerprint": fingerprint]) }
}
