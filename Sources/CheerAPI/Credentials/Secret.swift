/// A text that must never be displayed: a token or a password.
///
/// Printing, interpolating, dumping or reflecting it shows `***`.
public struct Secret: Sendable, Hashable {
  /// The text itself; only for sending to its owner, who knows it anyway.
  public var revealed: String { text }

  private let text: String

  /// Hides `text`.
  public init(_ text: String) { self.text = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `***`.
  public var description: String { "***" }
  /// `***`.
  public var debugDescription: String { "***" }
  /// A mirror that shows nothing.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
