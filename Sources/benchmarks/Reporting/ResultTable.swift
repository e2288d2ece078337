/// The results as Markdown, with the machine they were measured on.
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

/// One line of the table.
struct ResultRow: Sendable {
  let work: String
  let measured: String
  var peer = "–"
  var ratio = "–"
  let asked: String
  /// Nil without a target, or if the peer is missing.
  let isReached: Bool?

  /// Returns a row with a peer: `ratio` is how many times as fast as the peer we are.
  static func compared(
    _ work: String, _ measured: String, peer: String, ratio: Double, atLeast asked: Double,
    askedText: String
  ) -> ResultRow {
    ResultRow(
      work: work, measured: measured, peer: peer, ratio: Figure.ratio(ratio), asked: askedText,
      isReached: ratio >= asked)
  }

  /// Returns a row whose peer this machine does not have.
  static func alone(
    _ work: String, _ measured: String, missing peer: String, askedText: String
  ) -> ResultRow {
    ResultRow(
      work: work, measured: measured, peer: "skipped: \(peer) is not here", asked: askedText,
      isReached: nil)
  }
}
