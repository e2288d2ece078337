extension StringProtocol {
  /// The text without spaces at either end.
  var withoutOuterSpaces: String { String(drop { $0 == " " }).withoutTrailingSpaces }

  /// The text without spaces at the end.
  var withoutTrailingSpaces: String {
    guard let last = lastIndex(where: { $0 != " " }) else { return "" }
    return String(self[...last])
  }
}
