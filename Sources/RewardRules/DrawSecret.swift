internal import Digests

/// The key of all random draws. Whoever holds it can repeat them; it never leaves the process by any text of this type.
public struct DrawSecret: Sendable {
  private let key: HMACKey
  /// The first 16 hex digits of the secret's SHA-256: what the ledger names it by.
  public let fingerprint: String

  /// A secret.
  public init(_ bytes: [UInt8]) {
    key = HMACKey(bytes)
    fingerprint = String(SHA256.digest(of: bytes).description.prefix(16))
  }

  /// HMAC-SHA256 of `message` under the secret.
  func code(_ message: String) -> Digest { key.code(message) }
}

extension DrawSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The fingerprint, never the secret.
  public var description: String { "draw secret \(fingerprint)" }
  /// The fingerprint, never the secret.
  public var debugDescription: String { description }
  /// The fingerprint, never the secret.
  public var customMirror: Mirror { Mirror(self, children: ["fingerprint": fingerprint]) }
}
