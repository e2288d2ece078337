/// An audit's report as a single, self-contained HTML page: no script, no file, no network.
///
/// Any text in the report, the figures and the records may come from an attacker; the page shows all text literally.
package struct AuditPage: Sendable {
  private let summary: AuditSummary
  private let sections: [any AuditPageSection]

  /// Creates the page of an audit. Findings link to their records where these are on the page.
  package init(_ outcome: AuditOutcome) {
    let (report, figures, records) = (outcome.report, outcome.figures, outcome.records)
    summary = AuditSummary(report: report, figures: figures, previous: outcome.previous)
    // Nothing was counted in a damaged ledger: zeros would mislead.
    var sections: [any AuditPageSection] = [
      CheckSection(checks: report.checks, previous: outcome.previous)
    ]
    sections += report.isCounted ? Self.counts(figures, report.byHand) : []
    sections.append(FindingSection(checks: report.checks, records: Set(records.keys)))
    if !records.isEmpty { sections.append(RecordSection(records: records, checks: report.checks)) }
    self.sections = sections
  }

  private static func counts(
    _ figures: AuditFigures, _ byHand: GivenByHand
  ) -> [any AuditPageSection] {
    [
      DaySection(series: MissionSeries(figures.days), titles: figures.titles),
      OutstandingSection(figures: figures),
      CourseSection(zones: figures.zones),
      StreakSection(streaks: figures.streaks),
      SurvivalSection(ended: figures.endedStreaks, running: figures.streaks),
      UnknownDaySection(days: figures.unknownDays),
      UnknownSection(unknowns: figures.unknowns),
      HandSection(given: byHand),
      ActSection(figures: figures),
      JobSection(jobs: figures.jobs),
      DeliverySection(sinks: figures.sinks),
    ] + (figures.stores.isEmpty ? [] : [StoreSection(stores: figures.stores)])
  }

  /// Passes the page to `sink` as UTF-8, in order, in pieces that need far less memory than the whole page.
  package func write<Failure>(
    to sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    func put(_ html: HTML) throws(Failure) { try sink(html.bytes) }
    try put(head)
    try put(summary.html)
    try put(
      "<nav aria-label=\"Sections\"><ul>\(sections.map(\.link).joined())</ul></nav>\n<main>\n")
    for section in sections { try section.writeSection(to: put) }
    try put("</main>\n\(summary.footer)</body>\n</html>\n")
  }

  private var head: HTML {
    """
    \(AuditPageStyle.head("Audit: \(summary.verdict)"))\
    \(StateMark.definitions)

    """
  }
}
