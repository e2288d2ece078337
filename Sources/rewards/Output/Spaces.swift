extension StringProtocol {
  /// Without the spaces at both ends.
  var withoutOuterSpaces: String { String(drop { $0 == " " }).withoutTrailingSpaces }

  /// Without the spaces at the end.
  var withoutTrailingSpaces: String {
    guard let last = lastIndex(where: { $0 != " " }) else { return "" }
    return String(self[...last])
  }
}
