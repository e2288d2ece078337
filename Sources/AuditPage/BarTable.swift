/// A table of names and counts with a bar for each: a plot that is also readable as text.
struct BarTable {
  /// A row.
  struct Row {
    let name: HTML
    let count: Int
    /// Lines below the name.
    var remarks: [HTML] = []
  }

  let caption: String
  /// The headings of the two columns.
  let headings: (names: String, counts: String)
  let rows: [Row]

  /// The table as HTML.
  var html: HTML {
    let whole = rows.reduce(0.0) { $0 + Double($1.count) }
    let largest = Double(rows.map(\.count).max() ?? 0)
    let body = rows.map { row -> HTML in
      let remarks = row.remarks.map { "<span class=\"reason\">\($0)</span>" as HTML }
      return """
        <tr><th scope="row">\(row.name)\(remarks.joined())</th>\
        <td class="number">\(grouped: row.count)</td>\
        <td class="number">\(NumberText.share(of: Double(row.count), in: whole))</td>\
        <td class="bar">\(Self.bar(Double(row.count), of: largest))</td></tr>

        """
    }
    return """
      <table>
      <caption>\(caption)</caption>
      <thead><tr><th scope="col">\(headings.names)</th>\
      <th scope="col" class="number">\(headings.counts)</th>\
      <th scope="col" class="number">Share</th><td class="bar"></td></tr></thead>
      <tbody>
      \(body.joined())</tbody>
      </table>

      """
  }

  /// Returns a bar whose length is `value` relative to `largest`; its number must stand beside it.
  static func bar(_ value: Double, of largest: Double) -> HTML {
    let share = largest > 0 ? value / largest : 0
    return """
      <svg class="bar" width="100%" height="12" aria-hidden="true">\
      <rect class="series-0" width="\(length: share)" height="12" rx="2"/></svg>
      """
  }
}
