import CivilTime

/// The findings, grouped by check.
struct FindingSection: AuditPageSection {
  static let id = "findings"
  static let title = "Findings"

  /// The number of findings above which a check is initially folded.
  private static let openLimit = 50
  /// The number of findings in a piece; a full piece is laid out only when it comes into view.
  private static let pieceCount = 100
  /// The distance between links into the middle of a longer list of findings.
  private static let jumpDistance = 1_000

  let checks: [AuditReport.Check]
  /// The records on the page.
  let records: Set<UInt64>

  /// Returns the page's id for a finding, counted from 0.
  static func anchor(of index: Int, in check: AuditReport.Check) -> HTML {
    "f\(check.id)-\(index + 1)"
  }

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    let found = checks.filter { $0.found > 0 }
    guard !found.isEmpty else {
      return try put("<p class=\"nothing\">No check found anything.</p>\n")
    }
    let listed = found.reduce(0) { $0 + $1.findings.count }
    try put(
      """
      <p><data class="listed" value="\(listed)">\(NumberText.counted(listed, "finding"))</data> \
      listed below, by check.</p>

      """)
    for check in found { try write(check, to: put) }
  }

  private func write<Failure>(
    _ check: AuditReport.Check, to put: (HTML) throws(Failure) -> Void
  ) throws(Failure) {
    let count = check.findings.count
    let open: HTML = count <= Self.openLimit ? " open" : ""
    try put(
      """
      <details class="check" id="c\(check.id)"\(open)>
      <summary><h3>\(check.id). \(name: check.name)</h3> \
      <data value="\(count)">\(NumberText.counted(check.found, "finding"))</data></summary>

      """)
    if let remedy = AuditRemedy.text(ofCheck: check.id) {
      try put("<p class=\"remedy\">What to do: \(remedy)</p>\n")
    }
    if check.found > count {
      try put(
        """
        <p class="note">Only the first \(grouped: count) are listed; the others are counted.</p>

        """)
    }
    if count > Self.jumpDistance { try put(jumps(in: check)) }
    for start in stride(from: 0, to: count, by: Self.pieceCount) {
      let indices = start..<min(start + Self.pieceCount, count)
      // The guessed height would be far too large for a few findings, and the page would jump.
      let isFull: HTML = indices.count == Self.pieceCount ? " full" : ""
      try put(
        """
        <ol class="items\(isFull)" start="\(start + 1)">
        \(indices.map { item($0, in: check) }.joined())</ol>

        """)
    }
    try put("</details>\n")
  }

  private func jumps(in check: AuditReport.Check) -> HTML {
    let starts = stride(from: 0, to: check.findings.count, by: Self.jumpDistance)
    let links = starts.map { start -> HTML in
      "<a href=\"#\(Self.anchor(of: start, in: check))\">\(grouped: start + 1)</a> "
    }
    return """
      <nav class="jumps" aria-label="Jump to findings of check \(check.id)">Jump to finding \
      \(links.joined())</nav>

      """
  }

  private func item(_ index: Int, in check: AuditReport.Check) -> HTML {
    let finding = check.findings[index]
    var places: [HTML] = []
    if let seq = finding.seq {
      places.append(
        records.contains(seq)
          ? "<a href=\"#r\(seq)\">record \(grouped: seq)</a>" : "record \(grouped: seq)")
    }
    if let key = finding.key {
      places.append("grant <code>\(isolated: key)</code>")
    } else {
      // A key already names its user and day.
      if let user = finding.user { places.append("user <code>\(isolated: user)</code>") }
      if let day = finding.day { places.append("day \(day.description)") }
    }
    let command: HTML =
      AuditRemedy.command(for: finding, ofCheck: check.id).map {
        "<p class=\"command\"><code>\($0)</code></p>"
      } ?? ""
    let place = places.map { "<li>\($0)</li>" as HTML }.joined()
    return """
      <li id="\(Self.anchor(of: index, in: check))"><p>\(isolated: finding.text)</p>\
      \(places.isEmpty ? "" : "<ul class=\"places\">\(place)</ul>" as HTML)\(command)</li>

      """
  }
}
