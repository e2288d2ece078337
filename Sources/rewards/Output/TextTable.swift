import AuditPage

/// A table of cells in aligned columns, for people.
///
/// At a terminal, cells of columns that say how something stands get a mark and a colour. Where a line is wider than the terminal, prose is
/// cut after a word if that makes it fit; dates, keys and amounts stay whole.
struct TextTable {
  /// What a column holds, and on which side it is aligned.
  enum Column: Sendable {
    /// Words or numbers, which are never cut.
    case left, right
    /// Text on the left that may be cut.
    case prose
  }

  private static let gap = 2
  /// The width below which no column is cut.
  private static let narrowest = 8

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
    var widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    if let width = style.columns { widths = fitted(widths, to: width) }
    return zip(cells, levels).map { line($0, $1, widths, style) + "\n" }.joined()
  }

  private func line(
    _ row: [String], _ levels: [TextStyle.Level?], _ widths: [Int], _ style: TextStyle
  ) -> String {
    var line = ""
    for (column, whole) in row.enumerated() {
      let cell = Self.cut(whole, to: widths[column])
      let padding = String(repeating: " ", count: widths[column] - cell.count)
      let painted = style.paint(cell, levels[column])
      line += columns[column] == .right ? padding + painted : painted + padding
      line += String(repeating: " ", count: Self.gap)
    }
    return line.withoutTrailingSpaces
  }

  /// Returns widths that fill at most `width`, with less for prose: for the last column first, then for the widest. Returns the same
  /// widths where that is not enough, and the terminal divides the lines.
  private func fitted(_ widths: [Int], to width: Int) -> [Int] {
    var fitted = widths
    var excess = widths.reduce(Self.gap * (widths.count - 1), +) - width
    let others = widths.indices.dropLast().sorted { widths[$0] > widths[$1] }
    for column in [widths.count - 1] + others where excess > 0 && columns[column] == .prose {
      let less = min(excess, max(0, widths[column] - Self.narrowest))
      fitted[column] -= less
      excess -= less
    }
    return excess > 0 ? widths : fitted
  }

  /// Returns a text with as many whole words as fit.
  private static func cut(_ text: String, to width: Int) -> String {
    if text.count <= width { return text }
    let end = text.prefix(width).lastIndex(of: " ") ?? text.startIndex
    return "\(text[..<end])…"
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
