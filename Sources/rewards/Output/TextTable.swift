import AuditPage

/// A table of cells in aligned columns, for people.
///
/// At a terminal, cells of columns that say how something stands get a mark and a colour, and lines are cut to the terminal's width.
struct TextTable {
  /// The side of its column on which a cell is aligned.
  enum Alignment: Sendable {
    case left, right
  }

  private static let gap = 2
  /// The width below which no column is cut while another can be.
  private static let narrowest = 8

  private let alignments: [Alignment]
  private var rows: [[String]]

  /// Creates a table with a line of column titles; columns without an alignment are left-aligned.
  init(_ titles: [String], _ alignments: [Alignment] = []) {
    self.alignments = titles.indices.map { $0 < alignments.count ? alignments[$0] : .left }
    rows = [titles]
  }

  /// Creates a table with the columns of a page, aligning numbers to the right.
  init(_ columns: [TablePage.Column]) {
    self.init(columns.map(\.name), columns.map { $0.kind == .number ? .right : .left })
  }

  /// Adds a line, which must have as many cells as the table has columns.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == alignments.count, "a row must fill every column")
    // A line break inside a cell could pass for another row.
    rows.append(
      cells.map {
        $0.contains(where: \.isNewline)
          ? $0.split(whereSeparator: \.isNewline).joined(separator: " ⏎ ") : $0
      })
  }

  /// Returns the lines, each ended by a line break and without trailing spaces.
  func text(_ style: TextStyle) -> String {
    let levels = rows.enumerated().map { index, row in
      zip(rows[0], row).map { index == 0 ? nil : TextStyle.Level(of: $1, under: $0) }
    }
    let cells = zip(rows, levels).map { zip($0, $1).map { style.marked($0, $1) } }
    var widths = alignments.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    if let columns = style.columns { widths = fitted(widths, to: columns) }
    return zip(cells, levels).map { line($0, $1, widths, style) + "\n" }.joined()
  }

  private func line(
    _ row: [String], _ levels: [TextStyle.Level?], _ widths: [Int], _ style: TextStyle
  ) -> String {
    var line = ""
    // How much of the width is used; colours use none.
    var used = 0
    // Spaces are written only before something.
    var spaces = 0
    for (column, whole) in row.enumerated() {
      var cell = Self.cut(whole, to: widths[column])
      let padding = widths[column] - cell.count
      if alignments[column] == .right { spaces += padding }
      if !cell.isEmpty {
        let room = style.columns.map { max(0, $0 - used - spaces) } ?? .max
        cell = Self.cut(cell, to: room)
        line += String(repeating: " ", count: spaces) + style.paint(cell, levels[column])
        used += spaces + cell.count
        spaces = 0
        if cell.count == room { break }
      }
      spaces += Self.gap + (alignments[column] == .left ? padding : 0)
    }
    return line.withoutTrailingSpaces
  }

  /// Returns widths that fill at most `columns` as far as possible: the last column is cut first, then the widest. The first, which names
  /// the row, and numbers stay whole.
  private func fitted(_ widths: [Int], to columns: Int) -> [Int] {
    var widths = widths
    var excess = widths.reduce(Self.gap * (widths.count - 1), +) - columns
    let others = widths.indices.dropFirst().dropLast().sorted { widths[$0] > widths[$1] }
    for column in [widths.count - 1] + others
    where excess > 0 && alignments[column] == .left && column > 0 {
      let less = min(excess, max(0, widths[column] - Self.narrowest))
      widths[column] -= less
      excess -= less
    }
    return widths
  }

  private static func cut(_ text: String, to width: Int) -> String {
    text.count <= width ? text : width < 1 ? "" : "\(text.prefix(width - 1))…"
  }
}

extension TextStyle.Level {
  private static let goodStates: Set = [
    "on", "ok", "enabled", "done", "passed", "on time", "repaired",
  ]
  private static let notableStates: Set = [
    "paused", "behind", "late", "caught up", "held", "attention", "pending", "skipped", "unknown",
  ]
  private static let badStates: Set = ["failed", "dead", "broken", "missed", "doubled"]
  /// What a count other than zero means.
  private static let counts: [String: TextStyle.Level] = [
    "BROKEN": .bad, "DEAD": .bad, "BEHIND": .notable, "UNKNOWN": .notable,
  ]
  /// The columns of words that say how something stands, as their first words.
  private static let states: Set = ["STATE", "VERDICT", "LAST RUN", "STREAK"]

  /// Finds what a cell means in a column; nil where it means nothing in particular.
  fileprivate init?(of cell: String, under title: String) {
    if let level = Self.counts[title], Int(cell).map({ $0 > 0 }) ?? false {
      self = level
      return
    }
    guard Self.states.contains(title) else { return nil }
    let words = [cell, String(cell.prefix { $0 != " " })]
    if words.contains(where: Self.goodStates.contains) {
      self = .good
    } else if words.contains(where: Self.notableStates.contains) {
      self = .notable
    } else if words.contains(where: Self.badStates.contains) {
      self = .bad
    } else {
      return nil
    }
  }
}
