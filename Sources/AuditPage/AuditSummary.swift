import CivilTime

/// The top of an audit's page: verdict, totals and subject of the audit.
struct AuditSummary: Sendable {
  let report: AuditReport
  let figures: AuditFigures
  /// The previous audit, for comparison.
  var previous: PreviousAudit?

  /// The result in one sentence.
  var verdict: String {
    if report.checks.isEmpty { return "No check ran" }
    if let coverage = report.coverage, coverage.isMissed {
      return "Nothing audited: \(coverage.text)"
    }
    let failed = report.checks.filter { $0.found > 0 }
    let leftOut = report.checks.count { $0.leftOut != nil }
    var parts: [String] = []
    if !failed.isEmpty {
      let findings = failed.reduce(0) { $0 + $1.found }
      parts.append(
        "\(NumberText.counted(findings, "finding")) in \(NumberText.counted(failed.count, "check"))"
      )
    }
    if leftOut > 0 { parts.append("\(NumberText.counted(leftOut, "check")) left out") }
    let waiting =
      report.waiting.count > 0
      ? "; \(NumberText.counted(report.waiting.count, "user-day")) waiting for a backfill" : ""
    let found =
      parts.isEmpty
      ? "Passed: \(NumberText.counted(report.checks.count, "check")), no findings"
      : parts.joined(separator: ", ")
    return found + waiting
  }

  private var mark: StateMark {
    if report.checks.contains(where: { $0.found > 0 }) { return .found }
    return report.passed && !report.checks.isEmpty ? .passed : .leftOut
  }

  /// The page's header.
  var html: HTML {
    """
    <header>
    <p class="kind">Audit of the rewards ledger</p>
    <h1 class="verdict">\(mark.html)<span>\(verdict)</span></h1>
    <p class="lead">\(scope)</p>
    <dl class="totals">\(totals)</dl>
    </header>

    """
  }

  /// The page's footer: what was audited, and with which program.
  var footer: HTML {
    let origin = figures.origin
    let facts = [
      ("Ledger", origin.ledger), ("Program", origin.program),
      ("Time zone database", origin.tzdata), ("Made at", origin.madeAt.description),
    ]
    let head = origin.head.isEmpty ? "none" : origin.head
    return """
      <footer>
      <dl class="facts">
      \(facts.map { "<div><dt>\($0)</dt><dd>\(isolated: $1)</dd></div>\n" as HTML }.joined())\
      <div class="wide"><dt>Head</dt><dd><code>\(isolated: head)</code></dd></div>
      </dl>
      </footer>

      """
  }

  private var scope: HTML {
    guard report.isCounted else {
      return "The ledger is damaged, so its contents were not counted."
    }
    guard let span = figures.span else { return "The ledger holds no days yet." }
    let days = Int(span.upperBound.number) - Int(span.lowerBound.number) + 1
    return """
      \(NumberText.counted(days, "day")), from <time>\(span.lowerBound.description)</time> \
      to <time>\(span.upperBound.description)</time>, audited at \
      <time>\(figures.origin.madeAt.description)</time>\(comparison).\(choice)
      """
  }

  private var choice: HTML {
    guard let coverage = report.coverage, coverage.asked != nil, !coverage.isMissed else {
      return ""
    }
    return " Only findings about these days count: \(coverage.text)."
  }

  private var comparison: HTML {
    guard let previous else { return "" }
    return ", compared with the audit of <time>\(previous.madeAt.description)</time>"
  }

  private var totals: HTML {
    (report.isCounted ? figures.totals.named : []).map { name, value -> HTML in
      let change: HTML =
        previous?.totals[name].map { before in
          let difference = value.subtractingReportingOverflow(before).partialValue
          return "<dd class=\"change\">\(difference > 0 ? "+" : "")\(grouped: difference)</dd>"
        } ?? ""
      return "<div><dt>\(name)</dt><dd>\(grouped: value)</dd>\(change)</div>\n"
    }.joined()
  }
}
