/// Acts by hand, refusals and delays.
struct ActSection: AuditPageSection {
  static let id = "acts"
  static let title = "Acts, refusals and delays"

  /// The number of actors shown; the rest are summed up.
  private static let shown = 40

  let figures: AuditFigures

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    try put("<h3>By hand</h3>\n")
    let acts = figures.acts.counts.filter { $0.value > 0 }.sorted {
      ($1.value, $0.key.what, $0.key.actor) < ($0.value, $1.key.what, $1.key.actor)
    }
    if acts.isEmpty {
      try put("<p class=\"nothing\">Nobody has done anything by hand.</p>\n")
    } else {
      var rows = acts.prefix(Self.shown).map { act, count in
        BarTable.Row(name: "\(name: act.what)", count: count, remarks: ["\(name: act.actor)"])
      }
      let rest = acts.dropFirst(Self.shown)
      if !rest.isEmpty {
        rows.append(.init(name: "others", count: rest.reduce(0) { $0 + $1.value }))
      }
      try put(
        BarTable(
          caption: "Acts by hand, and who did them", headings: ("Act", "Times"), rows: rows
        ).html)
      try put(ManualActTable(acts: figures.acts).html)
    }
    try put("<h3>Refused</h3>\n")
    let refusals = figures.refusals.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if refusals.isEmpty {
      try put("<p class=\"nothing\">Nothing was refused.</p>\n")
    } else {
      try put(
        BarTable(
          caption: "What was refused or held back", headings: ("Kind", "Times"),
          rows: refusals.map { .init(name: "\(name: $0.key)", count: $0.value) }
        ).html)
    }
    try put("<h3>Delays</h3>\n")
    try put(delays)
  }

  /// The delays from an activity's beginning to its observation, from a grant's effect to its record, and from there to a sink.
  private var delays: HTML {
    let columns =
      figures.seenAfter.sorted { $0.key < $1.key }.map { ("seen by \($0.key)", $0.value) }
      + [("granted live", figures.grantedAfter)]
      + figures.deliveredAfter.sorted { $0.key < $1.key }.map { ("sent to \($0.key)", $0.value) }
    let filled = columns.filter { $0.1.total > 0 }
    if filled.isEmpty { return "<p class=\"nothing\">Nothing has been seen yet.</p>\n" }
    let heads = filled.map { "<th scope=\"col\" class=\"number\">\(name: $0.0)</th>" as HTML }
    let bounds = AuditFigures.Delays.bounds
    let rows = (0...bounds.count).map { index -> HTML in
      let name =
        index < bounds.count
        ? "up to \(NumberText.duration(seconds: bounds[index]))"
        : "more than \(NumberText.duration(seconds: bounds[index - 1]))"
      let cells = filled.map { column -> HTML in
        let count = column.1.counts[index]
        return "<td class=\"number\(count == 0 ? " none" : "")\">\(grouped: count)</td>"
      }
      return "<tr><th scope=\"row\">\(name)</th>\(cells.joined())</tr>\n"
    }
    return """
      <div class="scroll" role="region" aria-label="Delays" tabindex="0"><table>
      <caption>Time from the start of an activity until it was seen, from the effective time of a live grant until its record, and from a record until its event was delivered</caption>
      <thead><tr><th scope="col">Delay</th>\(heads.joined())</tr></thead>
      <tbody>
      \(rows.joined())</tbody></table></div>

      """
  }
}
