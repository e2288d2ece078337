/// What may name a version, a category or an item: it becomes part of keys and of messages under a code.
enum RulesName {
  /// The largest number of UTF-8 bytes.
  static let maximumBytes = 64

  /// The rule, for people.
  static let description =
    "a text of 1 to \(maximumBytes) bytes without \"/\" and control characters"

  /// Whether `text` is such a name.
  static func isValid(_ text: String) -> Bool {
    (1...maximumBytes).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { scalar in
        scalar != "/" && scalar.properties.generalCategory != .control
      }
  }
}
