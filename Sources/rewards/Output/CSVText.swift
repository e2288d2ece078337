import StrictJSON

/// Rows of comma-separated values, as `ledger export --csv` writes them: a text that a spreadsheet would take for a formula
/// has a `'` before it.
enum CSVText {
  /// The rows, each ended by a line break.
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
