import CivilTime
import Described
import Ledger

/// Formats the counts of a ledger's lines, for people and for programs.
enum CountsText {
  /// Returns the counts and sums as a table.
  static func text(of counts: LineCounts, _ style: TextStyle) -> String {
    var table = TextTable(["WHAT", "COUNT"], [.left, .right])
    for (type, count) in counts.sortedTypes { table.add([type, "\(count)"]) }
    for (mission, count) in counts.grants.sorted(by: { $0.key < $1.key }) {
      table.add(["grants for \(mission)", "\(count)"])
    }
    table.add(["points granted", "\(counts.points)"])
    table.add(["points reversed", "\(counts.reversedPoints)"])
    table.add(["exp granted", "\(counts.exp)"])
    table.add(["exp reversed", "\(counts.reversedExp)"])
    return table.text(style)
  }

  /// Returns the times between which the lines were recorded.
  static func span(of counts: LineCounts) -> String? {
    counts.span.map { "from \($0.first) to \($0.last)" }
  }

  /// The counts for programs.
  static func list(_ counts: inout JSONMembers<LineCounts>) {
    counts.map("types") { $0.sortedTypes.map { ($0.0, $0.1) } }
    counts.add("grants", \.grants)
    counts.add("points", \.points)
    counts.add("exp", \.exp)
    counts.add("reversedPoints", \.reversedPoints)
    counts.add("reversedExp", \.reversedExp)
    counts.add("first", \.span?.first)
    counts.add("last", \.span?.last)
  }
}
