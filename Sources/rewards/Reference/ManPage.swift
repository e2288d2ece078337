/// Writes pages for man(1), in the macros of man(7).
enum ManPage {
  /// Returns a page of section `section`; `man` finds it by `name`.
  static func text(of page: Markdown, name: String, section: Int, version: String) -> String {
    var text = """
      .TH "\(name.uppercased())" "\(section)" "" "rewards \(version)" "The reward scheduler"
      .SH NAME
      \(name) \\- \(escaped(page.summary))

      """
    var isFirstParagraph = true
    for block in page.blocks {
      if case .paragraph = block, isFirstParagraph {
        isFirstParagraph = false
        continue
      }
      text += Self.text(of: block)
    }
    return text
  }

  private static func text(of block: Markdown.Block) -> String {
    switch block {
    case .heading(1, _): ""
    case .heading(2, let title): ".SH \(line(title.uppercased()))\n"
    case .heading(_, let title): ".SS \(line(title))\n"
    case .paragraph(let words): ".PP\n\(line(words))\n"
    case .list(let items): items.map { ".IP \\(bu 2\n\(line($0))\n" }.joined()
    case .code(_, let lines):
      ".PP\n.RS 4\n.nf\n" + lines.map { guarded(literal($0)) + "\n" }.joined() + ".fi\n.RE\n"
    case .table(let head, let rows):
      rows.map { row in
        let rest = zip(head, row).dropFirst().filter { !$0.1.isEmpty && $0.1 != "–" }
          .map { head.count > 2 ? "\($0.0): \($0.1)" : $0.1 }
        return ".TP\n\\fB\(escaped(row.first ?? ""))\\fR\n\(line(rest.joined(separator: "; ")))\n"
      }.joined()
    }
  }

  private static func line(_ text: String) -> String { guarded(escaped(text)) }

  /// Returns a text line that cannot be read as a request.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
  }

  /// Returns a text without marks, its backslashes and hyphens literal.
  private static func escaped(_ text: String) -> String { literal(MarkdownText.plain(text)) }

  /// Returns a text with every character beyond ASCII as its code, because not every troff reads UTF-8.
  private static func literal(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { literal, scalar in
      switch scalar {
      case "\\": literal += "\\e"
      case "-": literal += "\\-"
      case _ where scalar.isASCII: literal.unicodeScalars.append(scalar)
      default:
        let code = String(scalar.value, radix: 16, uppercase: true)
        literal += "\\[u\(String(repeating: "0", count: max(0, 4 - code.count)))\(code)]"
      }
    }
  }
}
