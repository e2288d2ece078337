/// A table as one page of HTML that needs nothing else: light, dark, narrow, printed.
public struct TablePage: Sendable {
  private let title: String
  private let lines: [String]
  private let columns: [String]
  private let rows: [[String]]

  /// A page with a title, lines above the table, and its rows; every text is shown literally.
  public init(title: String, lines: [String], columns: [String], rows: [[String]]) {
    self.title = title
    self.lines = lines
    self.columns = columns
    self.rows = rows
  }

  /// The page, UTF-8.
  public var bytes: [UInt8] {
    let head = columns.map { "<th scope=\"col\">\(isolated: $0)</th>" as HTML }.joined()
    let body = rows.map { row in
      "<tr>\(row.map { "<td>\(isolated: $0)</td>" as HTML }.joined())</tr>\n" as HTML
    }.joined()
    let paragraphs = lines.map { "<p>\(isolated: $0)</p>\n" as HTML }.joined()
    let page: HTML = """
      \(AuditPageStyle.head("\(title)"))\
      <main>
      <h1>\(isolated: title)</h1>
      \(paragraphs)<div class="scroll"><table>
      <thead><tr>\(head)</tr></thead>
      <tbody>
      \(body)</tbody>
      </table></div>
      </main>
      </body>
      </html>

      """
    return page.bytes
  }
}
