/// A page in the subset of Markdown that the reference pages use.
struct Markdown {
  /// A block of a page.
  enum Block: Equatable {
    case heading(level: Int, text: String)
    case paragraph(String)
    /// `- ` items, each a paragraph.
    case list([String])
    /// Lines as they are; `info` follows the fence and is empty for indented lines.
    case code(info: String, lines: [String])
    case table(head: [String], rows: [[String]])
  }

  let blocks: [Block]

  /// Parses the blocks of `text`.
  init(_ text: String) {
    var reader = MarkdownReader(
      lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    blocks = reader.blocks()
  }

  /// The page's name.
  var title: String {
    for case .heading(1, let text) in blocks { return text }
    return ""
  }

  /// The page's summary: its first paragraph.
  var summary: String {
    for case .paragraph(let text) in blocks { return text }
    return ""
  }

  /// Returns the rows of the first table whose first heading is `heading`.
  func rows(under heading: String) -> [[String]] {
    for case .table(let head, let rows) in blocks where head.first == heading { return rows }
    return []
  }

  /// Returns the blocks whose opening fence names `kind` and at least one more name, in order.
  func fences(_ kind: String) -> [(names: [String], text: String)] {
    blocks.compactMap { block in
      guard case .code(let info, let lines) = block else { return nil }
      let words = info.split(separator: " ").map { String($0) }
      guard words.count > 1, words[0] == kind else { return nil }
      return (Array(words.dropFirst()), lines.joined(separator: "\n"))
    }
  }

  /// Returns whether lines of code show what a shell is given after `$ ` and what it prints, which stays as it is.
  static func isTranscript(_ lines: [String]) -> Bool { lines.first?.hasPrefix("$ ") ?? false }

  /// Returns the text between backquotes, in order.
  static func codeSpans(in text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
  }
}

/// Reads the lines of a page one by one.
private struct MarkdownReader {
  let lines: [Substring]
  private var position = 0

  init(lines: [Substring]) { self.lines = lines }

  mutating func blocks() -> [Markdown.Block] {
    var blocks: [Markdown.Block] = []
    while position < lines.count {
      let line = lines[position]
      if line.allSatisfy({ $0 == " " }) {
        position += 1
      } else if line.hasPrefix("```") {
        blocks.append(fence(info: String(line.dropFirst(3))))
      } else if line.hasPrefix("    ") {
        blocks.append(indented())
      } else if line.hasPrefix("#") {
        let level = line.prefix { $0 == "#" }.count
        position += 1
        blocks.append(.heading(level: level, text: String(line.dropFirst(level + 1))))
      } else if line.hasPrefix("|") {
        blocks.append(table())
      } else if line.hasPrefix("- ") {
        blocks.append(list())
      } else {
        blocks.append(.paragraph(paragraph()))
      }
    }
    return blocks
  }

  private mutating func consume(while isPart: (Substring) -> Bool) -> [Substring] {
    let taken = lines[position...].prefix(while: isPart)
    position += taken.count
    return Array(taken)
  }

  private mutating func fence(info: String) -> Markdown.Block {
    position += 1
    let inside = consume { !$0.hasPrefix("```") }
    position += 1
    return .code(info: info, lines: inside.map { String($0) })
  }

  private mutating func indented() -> Markdown.Block {
    let inside = consume { $0.hasPrefix("    ") }
    return .code(info: "", lines: inside.map { String($0.dropFirst(4)) })
  }

  private mutating func table() -> Markdown.Block {
    let cells = consume { $0.hasPrefix("|") }.map { line in
      // `\|` is a literal bar inside a cell.
      line.replacing("\\|", with: "\u{1}").split(separator: "|", omittingEmptySubsequences: false)
        .dropFirst().dropLast().map { cell in
          cell.replacing("\u{1}", with: "|").withoutOuterSpaces
        }
    }
    return .table(head: cells.first ?? [], rows: Array(cells.dropFirst(2)))
  }

  private mutating func list() -> Markdown.Block {
    var items: [String] = []
    for line in consume(while: {
      $0.hasPrefix("- ") || $0.hasPrefix("  ") && $0.contains { $0 != " " }
    }) {
      if line.hasPrefix("- ") {
        items.append(String(line.dropFirst(2)))
      } else {
        items[items.count - 1] += " " + line.withoutOuterSpaces
      }
    }
    return .list(items)
  }

  private mutating func paragraph() -> String {
    let starts = ["#", "|", "- ", "```", "    "]
    let inside = consume { line in
      line.contains { $0 != " " } && !starts.contains { line.hasPrefix($0) }
    }
    return inside.joined(separator: " ")
  }
}
