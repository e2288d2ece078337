/// All checks with their states, by number.
struct CheckSection: AuditPageSection {
  static let id = "checks"
  static let title = "Checks"

  let checks: [AuditReport.Check]
  /// The previous audit, for comparison.
  var previous: PreviousAudit?

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    guard !checks.isEmpty else { return try put("<p class=\"nothing\">No check ran.</p>\n") }
    try put(
      """
      <table>
      <caption>Checks and their results</caption>
      <thead><tr><th scope="col" class="number">No.</th><th scope="col">Check</th>\
      <th scope="col">State</th><th scope="col" class="number">Examined</th>\(before)</tr></thead>
      <tbody>
      \(checks.map(row).joined())</tbody>
      </table>

      """)
  }

  private func row(_ check: AuditReport.Check) -> HTML {
    let reason: HTML =
      (check.leftOut ?? check.note).map { "<span class=\"reason\">\(isolated: $0)</span>" } ?? ""
    return """
      <tr><td class="number">\(check.id)</td><th scope="row">\(name: check.name)\(reason)</th>\
      <td class="state">\(states(of: check).joined())</td>\
      <td class="number">\(grouped: check.examined)</td>\(before(check))</tr>

      """
  }

  private var before: HTML {
    previous == nil ? "" : "<th scope=\"col\" class=\"number\">Previous audit</th>"
  }

  /// Returns the check's previous result.
  private func before(_ check: AuditReport.Check) -> HTML {
    guard let previous else { return "" }
    guard let then = previous.checks[check.id] else { return "<td class=\"number none\">–</td>" }
    let found: HTML = then.found > 0 ? ", \(grouped: then.found) found" : ""
    return "<td class=\"number\">\(grouped: then.examined)\(found)</td>"
  }

  /// Returns how the check ended; one that was left out may already have found something.
  private func states(of check: AuditReport.Check) -> [HTML] {
    var states: [HTML] = []
    if check.passed { states.append(state(.passed, "passed")) }
    if check.leftOut != nil { states.append(state(.leftOut, "left out")) }
    if check.found > 0 {
      states.append(state(.found, "<a href=\"#c\(check.id)\">\(grouped: check.found) found</a>"))
    }
    return states
  }

  private func state(_ mark: StateMark, _ words: HTML) -> HTML {
    "<span class=\"\(mark.rawValue)\">\(mark.html)\(words)</span> "
  }
}
