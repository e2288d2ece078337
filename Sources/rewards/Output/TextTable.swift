import AuditPage

/// A table of cells in aligned columns, for people.
///
/// At a terminal, cells of columns that say how something stands get a mark and a colour. Where a line is wider than the
/// terminal, prose wraps within its column, and columns without room continue on an indented line of their own. Nothing
/// is cut.
struct TextTable {
  /// What a column holds, and on which side it is aligned.
  enum Column: Sendable {
    /// Words or numbers, which stay on one line.
    case left, right
    /// Text on the left that may wrap.
    case prose
  }

  private static let gap = 2
  /// The width below which prose does not wrap, unless it is narrower anyway.
  private static let narrowest = 24
  /// How far a line is indented that continues a row.
  private static let indent = 4

  private let columns: [Column]
  private var rows: [[String]]

  /// Creates a table with a line of column titles; columns that are not described are left-aligned, and the last is
  /// what `last` says.
  init(_ titles: [String], _ columns: [Column] = [], last: Column? = nil) {
    var all = titles.indices.map { $0 < columns.count ? columns[$0] : .left }
    if let last { all[titles.count - 1] = last }
    self.columns = all
    rows = [titles]
  }

  /// Creates a table with the columns of a page.
  init(_ columns: [TablePage.Column]) {
    self.init(
      columns.map(\.name),
      columns.map { $0.kind == .number ? .right : $0.kind == .prose ? .prose : .left })
  }

  /// Adds a line, which must have as many cells as the table has columns.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "a row must fill every column")
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
    let parts = parts(of: cells, width: style.columns ?? .max)
    return zip(cells, levels).map { row, levels in
      parts.map { text(of: row, levels, $0, style) }.joined()
    }.joined()
  }

  /// Some columns side by side.
  private struct Part {
    var indent = 0
    var columns: [Int] = []
    var widths: [Int] = []
    /// The width of a line.
    var width: Int { indent + widths.reduce(TextTable.gap * (widths.count - 1), +) }
  }

  /// Divides the columns into parts that fit `width`, each with as many as have room.
  private func parts(of cells: [[String]], width: Int) -> [Part] {
    let whole = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    var parts = [Part(columns: Array(columns.indices), widths: whole)]
    if parts[0].width <= width { return parts }
    parts = [Part()]
    for column in columns.indices {
      var needed = whole[column]
      if columns[column] == .prose {
        let words = cells.lazy.flatMap { $0[column].split(separator: " ") }
        needed = min(needed, max(Self.narrowest, words.map(\.count).max() ?? 0))
      }
      let last = parts.count - 1
      if !parts[last].columns.isEmpty, parts[last].width + Self.gap + needed > width {
        parts.append(Part(indent: Self.indent))
      }
      parts[parts.count - 1].columns.append(column)
      parts[parts.count - 1].widths.append(needed)
    }
    return parts.map { part in
      var part = part
      for place in part.columns.indices {
        let room = max(0, width - part.width)
        part.widths[place] += min(room, whole[part.columns[place]] - part.widths[place])
      }
      return part
    }
  }

  /// Returns the lines of a row for one part; none for a part that continues the row and holds nothing.
  private func text(
    of row: [String], _ levels: [TextStyle.Level?], _ part: Part, _ style: TextStyle
  ) -> String {
    if part.indent > 0, part.columns.allSatisfy({ ["", "-"].contains(row[$0]) }) { return "" }
    let cells = zip(part.columns, part.widths).map { column, width in
      row[column].count <= width || columns[column] != .prose
        ? [row[column]]
        : MarkdownText.wrapped(row[column], indent: "", width: width).split(separator: "\n")
          .map(String.init)
    }
    return (0..<(cells.map(\.count).max() ?? 0)).map { number in
      var line = String(repeating: " ", count: part.indent)
      for (place, (column, width)) in zip(part.columns, part.widths).enumerated() {
        let cell = number < cells[place].count ? cells[place][number] : ""
        let padding = String(repeating: " ", count: max(0, width - cell.count) + Self.gap)
        let painted = cell.isEmpty ? "" : style.paint(cell, levels[column])
        line +=
          columns[column] == .right
          ? padding.dropLast(Self.gap) + painted + String(repeating: " ", count: Self.gap)
          : painted + padding
      }
      return line.withoutTrailingSpaces + "\n"
    }.joined()
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
