/// How output looks to people: colours, marks and the width of the terminal; plain where output goes elsewhere.
struct TextStyle: Sendable {
  /// What a state means for an operator.
  enum Level: Sendable {
    case good, notable, bad

    /// The sign beside a state, for those who see no colours.
    fileprivate var mark: String {
      switch self {
      case .good: "✓"
      case .notable: "!"
      case .bad: "✗"
      }
    }
  }

  /// The style of files, pipes and programs.
  static let plain = TextStyle(isColoured: false)

  /// Whether colours are wanted; never with `NO_COLOR`.
  let isColoured: Bool
  /// Whether a person is watching.
  var isTerminal = false
  /// The width that lines of tables must not exceed; nil for any.
  var columns: Int?

  /// Colours something good.
  func good(_ text: String) -> String { paint(text, .good) }
  /// Colours something that needs attention.
  func notable(_ text: String) -> String { paint(text, .notable) }
  /// Colours something wrong.
  func bad(_ text: String) -> String { paint(text, .bad) }

  /// Returns a state with its mark, where a person is watching.
  func marked(_ text: String, _ level: Level?) -> String {
    guard isTerminal, let level else { return text }
    return "\(level.mark) \(text)"
  }

  /// Colours a text by what it means.
  func paint(_ text: String, _ level: Level?) -> String {
    guard isColoured, let level else { return text }
    return "\u{1B}[\(colour(level))m\(text)\u{1B}[0m"
  }

  /// Every escape sequence that this may write.
  var sequences: [String] { isColoured ? ["32", "33", "31", "0"].map { "\u{1B}[\($0)m" } : [] }

  private func colour(_ level: Level) -> String {
    switch level {
    case .good: "32"
    case .notable: "33"
    case .bad: "31"
    }
  }
}
