/// The results as Markdown, with the machine that they were got on.
struct ResultTable {
  let rows: [ResultRow]
  let order: BenchmarkOrder

  var text: String {
    var lines = [
      "| work | measured | peer | ratio | asked | reached |", "|---|---|---|---|---|---|",
    ]
    for row in rows {
      let reached = row.isReached.map { $0 ? "yes" : "**no**" } ?? "–"
      lines.append(
        "| \(row.work) | \(row.measured) | \(row.peer) | \(row.ratio) | \(row.asked) | \(reached) |"
      )
    }
    lines += ["", Machine.description(of: order.effort)]
    return lines.joined(separator: "\n")
  }
}
