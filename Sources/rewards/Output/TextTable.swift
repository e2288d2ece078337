import AuditPage

/// A table of cells in aligned columns, for people.
struct TextTable {
  /// The side of its column on which a cell is aligned.
  enum Alignment: Sendable {
    case left, right
  }

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

  /// The lines, each ended by a line break and without trailing spaces.
  var text: String {
    let widths = alignments.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.reduce("") { text, row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        line += alignments[column] == .left ? cell + padding : padding + cell
        line += "  "
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return "\(text)\(line)\n"
    }
  }
}
