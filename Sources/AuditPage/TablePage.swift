/// A table as a single, self-contained HTML page for light and dark screens, narrow screens and print.
package struct TablePage: Sendable {
  /// A column.
  package struct Column: Sendable {
    /// Its heading.
    package let name: String
    /// Its kind of content.
    package let kind: Kind

    /// The content of a column.
    package enum Kind: String, Sendable {
      /// Names and dates, each on one line.
      case word
      /// Numbers with aligned digits.
      case number
      /// Sentences, which may wrap.
      case prose
    }

    /// Creates a column with a heading.
    package init(_ name: String, _ kind: Kind = .word) {
      self.name = name
      self.kind = kind
    }
  }

  private let title: String
  private let lines: [String]
  private let columns: [Column]
  private let rows: [[String]]
  private let sums: [String]

  /// Creates a page with a title, lines above the table, its rows, and a final row of sums; all text is shown literally.
  package init(
    title: String, lines: [String], columns: [Column], rows: [[String]], sums: [String] = []
  ) {
    self.title = title
    self.lines = lines
    self.columns = columns
    self.rows = rows
    self.sums = sums
  }

  /// The page as UTF-8.
  package var bytes: [UInt8] {
    let head = columns.map { column in
      "<th scope=\"col\" class=\"\(column.kind.rawValue)\">\(isolated: column.name)</th>" as HTML
    }.joined()
    let paragraphs = lines.map { "<p>\(isolated: $0)</p>\n" as HTML }.joined()
    let foot: HTML = sums.isEmpty ? "" : "<tfoot>\(row(sums))</tfoot>\n"
    let page: HTML = """
      \(AuditPageStyle.head("\(title)"))\
      <main class="sheet">
      <h1>\(isolated: title)</h1>
      \(paragraphs)<div class="scroll"><table>
      <thead><tr>\(head)</tr></thead>
      <tbody>
      \(rows.map(row).joined())</tbody>
      \(foot)</table></div>
      </main>
      </body>
      </html>

      """
    return page.bytes
  }

  private func row(_ cells: [String]) -> HTML {
    let cells = zip(columns, cells).map { column, cell in
      "<td class=\"\(column.kind.rawValue)\">\(isolated: cell)</td>" as HTML
    }
    return "<tr>\(cells.joined())</tr>\n"
  }
}
