import Described
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

extension JSONMembers {
  /// Returns the members of a value as cells. Lists are divided by spaces; null and what is left out are empty.
  func cells(of value: Value) -> [String] {
    let object = try? JSONNode.parse(Array(text(of: value).utf8))
    return fields.map { object?[$0.name].map(cell) ?? "" }
  }

  private func cell(_ node: JSONNode) -> String {
    switch node.content {
    case .string(let text), .number(let text): text
    case .bool(let value): "\(value)"
    case .array(let elements): elements.map(cell).joined(separator: " ")
    case .null, .object: ""
    }
  }
}
