/// Colours for people at a terminal; none when output goes elsewhere or `NO_COLOR` is set.
struct TextStyle: Sendable {
  let isColoured: Bool

  /// Colours something good.
  func good(_ text: String) -> String { paint(text, "32") }
  /// Colours something that needs attention.
  func notable(_ text: String) -> String { paint(text, "33") }
  /// Colours something wrong.
  func bad(_ text: String) -> String { paint(text, "31") }

  /// Every escape sequence that this may write.
  var sequences: [String] { isColoured ? ["32", "33", "31", "0"].map { "\u{1B}[\($0)m" } : [] }

  private func paint(_ text: String, _ colour: String) -> String {
    isColoured ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
  }
}
