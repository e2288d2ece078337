/// Formats a page for a terminal.
struct MarkdownText {
  /// The width at which lines break, except for code and transcripts.
  static let width = 100

  private let width: Int
  private var text = ""

  /// Returns the page in whole lines.
  static func text(of page: Markdown, width: Int = Self.width) -> String {
    var writer = MarkdownText(width: width)
    for block in page.blocks { writer.write(block) }
    return writer.text
  }

  private mutating func write(_ block: Markdown.Block) {
    if !text.isEmpty { text += "\n" }
    switch block {
    case .heading(let level, let title):
      text += level == 1 ? "\(Self.plain(title).uppercased())\n" : "\(Self.plain(title))\n"
    case .paragraph(let words): text += wrapped(Self.plain(words), indent: "")
    case .list(let items):
      for item in items { text += "- " + wrapped(Self.plain(item), indent: "  ").dropFirst(2) }
    case .code(_, let lines):
      let isTranscript = Markdown.isTranscript(lines)
      for line in lines {
        text += line.isEmpty ? "\n" : isTranscript ? "    \(line)\n" : code("    \(line)")
      }
    case .table(let head, let rows): write(head, rows)
    }
  }

  /// Returns a line of code, divided where it is wider than the page: a remark comes first, and what follows is indented.
  private func code(_ line: String) -> String {
    if line.count <= width { return line + "\n" }
    let indent = String(line.prefix { $0 == " " })
    if let remark = line.firstRange(of: /\s{2,}(#|\/\/)\s/) {
      let words = line[remark].drop { $0 == " " } + line[remark.upperBound...]
      return wrapped(String(words), indent: indent)
        + code(String(line[..<remark.lowerBound]))
    }
    var text = ""
    var rest = line[...]
    while rest.count > width {
      let room = rest.dropFirst(indent.count + 4).prefix(width - indent.count - 6)
      let isCommand = line.dropFirst(indent.count).hasPrefix("rewards ")
      let option = isCommand ? room.ranges(of: " --").last?.lowerBound : nil
      let space = room.lastIndex { $0 == " " || $0 == "," }.map { room.index(after: $0) }
      let end = option ?? space ?? room.endIndex
      text += rest[..<end] + (option == nil ? "\n" : " \\\n")
      rest = Substring("\(indent)    \(rest[end...].drop { $0 == " " })")
    }
    return "\(text)\(rest)\n"
  }

  /// Writes a table in columns where it fits; otherwise each row, with its name above the rest.
  private mutating func write(_ head: [String], _ rows: [[String]]) {
    let cells = ([head] + rows).map { $0.map(Self.plain) }
    let widths = head.indices.map { column in
      cells.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    if widths.reduce(0, +) + 2 * head.count <= width {
      for row in cells where row.contains(where: { !$0.isEmpty }) {
        let line = zip(row, widths).map { cell, width in
          cell + String(repeating: " ", count: width - cell.count + 2)
        }.joined()
        text += "  \(line.withoutTrailingSpaces)\n"
      }
      return
    }
    for row in cells.dropFirst() {
      text += wrapped(row.first ?? "", indent: "  ")
      for (heading, cell) in zip(cells[0], row).dropFirst() where !cell.isEmpty && cell != "–" {
        let label = head.count > 2 ? "\(heading): " : ""
        text += wrapped(label + cell, indent: "      ")
      }
    }
  }

  private func wrapped(_ words: String, indent: String) -> String {
    Self.wrapped(words, indent: indent, width: width)
  }

  /// Returns words in lines of limited width, each preceded by `indent`.
  static func wrapped(_ words: String, indent: String, width: Int = Self.width) -> String {
    var lines: [String] = []
    var line = indent
    for word in words.split(separator: " ") {
      if line.count + word.count + 1 > width, line.count > indent.count {
        lines.append(line)
        line = indent
      }
      line += line.count > indent.count ? " \(word)" : word
    }
    lines.append(line)
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a text without marks. Links to other pages become `rewards help TOPIC`, and addresses stand in brackets, except those
  /// within the page.
  static func plain(_ text: String) -> String {
    var plain = ""
    var isCode = false
    var rest = text[...]
    while let character = rest.first {
      if character == "`" {
        isCode.toggle()
        rest.removeFirst()
      } else if isCode {
        plain.append(character)
        rest.removeFirst()
      } else if rest.hasPrefix("**") {
        rest.removeFirst(2)
      } else if rest.hasPrefix("<doc:"), let end = rest.firstIndex(of: ">") {
        let name = rest[..<end].dropFirst(5).prefix { $0 != "#" }
        plain +=
          ReferencePage(rawValue: String(name)).map { "rewards help \($0.name)" } ?? String(name)
        rest = rest[rest.index(after: end)...]
      } else if character == "[", let middle = rest.firstRange(of: "]("),
        let end = rest[middle.upperBound...].firstIndex(of: ")")
      {
        let label = rest[..<middle.lowerBound].dropFirst()
        let address = rest[middle.upperBound..<end]
        plain += Self.plain(String(label)) + (address.hasPrefix("#") ? "" : " (\(address))")
        rest = rest[rest.index(after: end)...]
      } else {
        plain.append(character)
        rest.removeFirst()
      }
    }
    return plain
  }
}
