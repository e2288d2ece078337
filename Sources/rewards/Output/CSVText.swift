import StrictJSON

/// Writes rows of comma-separated values, as for `ledger export --csv`. Puts a `'` before text that a spreadsheet would read as a formula.
enum CSVText {
  /// Returns the rows, each ended by a line break.
  static func text(_ rows: [[String]]) -> String {
    rows.map { $0.map(cell).joined(separator: ",") + "\n" }.joined()
  }

  private static func cell(_ text: String) -> String {
    var shown = ShownText.plain(text)
    if Int64(shown) == nil, let first = shown.first, "=+-@\t\r".contains(first) {
      shown = "'" + shown
    }
    guard shown.contains(where: { "\",\n\r".contains($0) }) else { return shown }
    return "\"" + shown.replacing("\"", with: "\"\"") + "\""
  }
}
