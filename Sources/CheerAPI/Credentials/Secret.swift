/// A text that must never be displayed: a token or a password.
///
/// Printing, interpolating, dumping or reflecting it shows `***`.
package struct Secret: Sendable, Hashable {
  /// The text itself; only for sending to its owner, who knows it anyway.
  package var revealed: String { text }

  private let text: String

  /// Hides `text`.
  package init(_ text: String) { self.text = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `***`.
  package var description: String { "***" }
  /// `***`.
  package var debugDescription: String { "***" }
  /// A mirror that shows nothing.
  package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
