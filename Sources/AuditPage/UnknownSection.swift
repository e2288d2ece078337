import Evidence

/// What remained unknown, by cause.
struct UnknownSection: AuditPageSection {
  static let id = "unknowns"
  static let title = "Unknowns"

  /// How many causes, and how many subjects of each, are shown; the rest are summed up.
  private static let shown = (causes: 12, subjects: 6)

  let unknowns: [AuditFigures.Unknown: Int]

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    let causes = Self.ranked(
      unknowns.reduce(into: [:]) { $0[$1.key.cause, default: 0] += $1.value })
    guard !causes.isEmpty else {
      return try put("<p class=\"nothing\">Nothing was unknown.</p>\n")
    }
    var rows = causes.prefix(Self.shown.causes).map { cause, count in
      BarTable.Row(
        name: "\(name: Gap.reason(for: cause))", count: count, remarks: subjects(of: cause))
    }
    let rest = causes.dropFirst(Self.shown.causes)
    if !rest.isEmpty {
      rows.append(
        BarTable.Row(
          name: "\(NumberText.counted(rest.count, "other cause"))",
          count: rest.reduce(0) { $0 + $1.count }))
    }
    try put(
      BarTable(
        caption: "How often a verdict was unknown, and why", headings: ("Cause", "Unknowns"),
        rows: rows
      ).html)
  }

  private func subjects(of cause: String) -> [HTML] {
    let subjects = Self.ranked(
      unknowns.reduce(into: [:]) { counts, unknown in
        if unknown.key.cause == cause { counts[unknown.key.subject] = unknown.value }
      })
    let rest = subjects.count - Self.shown.subjects
    return subjects.prefix(Self.shown.subjects).map { "\(name: $0.name) \(grouped: $0.count)" }
      + (rest > 0 ? ["and \(grouped: rest) more"] : [])
  }

  /// Returns the counts, largest first, without zeros.
  private static func ranked(_ counts: [String: Int]) -> [(name: String, count: Int)] {
    counts.filter { $0.value > 0 }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { ($0.key, $0.value) }
  }
}
