internal import Digests

/// A secret of Standard Webhooks: `whsec_` and the base64 of 24 to 64 bytes. Printing it shows a mask.
/// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme
package struct WebhookSecret: Sendable, CustomStringConvertible, CustomReflectable {
  private static let prefix = "whsec_"
  private static let bytes = 24...64
  private let key: HMACKey

  /// Parses a secret; returns it or what is wrong.
  package static func parse(_ text: String) -> Result<WebhookSecret, Flaw> {
    guard text.hasPrefix(prefix) else { return .failure(.prefix) }
    // Some omit the padding.
    let digits = text.dropFirst(prefix.count)
    let padding = String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
    guard let key = Base64.bytes(digits + padding) else {
      return .failure(.base64)
    }
    guard bytes.contains(key.count) else { return .failure(.length(key.count)) }
    return .success(WebhookSecret(key: HMACKey(key)))
  }

  /// Why a text is not a secret; never contains any of it.
  package enum Flaw: Error, Sendable, Equatable, CustomStringConvertible {
    case prefix
    case base64
    case length(Int)

    /// What is wrong and what is expected.
    package var description: String {
      switch self {
      case .prefix: "does not begin with whsec_"
      case .base64: "has no base64 after whsec_"
      case .length(let count): "holds \(count) bytes after whsec_; expected 24 to 64"
      }
    }
  }

  /// Returns the signature of a message: `v1,` and the base64 of the HMAC-SHA256 over id, timestamp and body, joined by dots.
  func signature(id: String, timestamp: Int64, body: String) -> String {
    "v1," + Base64.text(key.code("\(id).\(timestamp).\(body)").bytes)
  }

  /// A mask.
  package var description: String { "whsec_•••" }
  /// A mirror without children.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
