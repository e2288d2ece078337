public import AuditReport

/// An audit's report as one page of HTML that needs nothing else: no script, no file, no network.
///
/// Every text of the report, the figures and the records may have been written by anybody; the page shows it literally.
public struct AuditPage: Sendable {
  private let summary: AuditSummary
  private let sections: [any AuditPageSection]

  /// The page of an audit. Findings link to those records that are there.
  public init(_ outcome: AuditOutcome) {
    let (report, figures, records) = (outcome.report, outcome.figures, outcome.records)
    summary = AuditSummary(report: report, figures: figures, previous: outcome.previous)
    // Of a ledger that is damaged nothing was counted: zeros would tell a tale.
    var sections: [any AuditPageSection] = [
      CheckSection(checks: report.checks, previous: outcome.previous)
    ]
    sections += report.isCounted ? Self.counts(figures) : []
    sections.append(FindingSection(checks: report.checks, records: Set(records.keys)))
    if !records.isEmpty { sections.append(RecordSection(records: records, checks: report.checks)) }
    self.sections = sections
  }

  private static func counts(_ figures: AuditFigures) -> [any AuditPageSection] {
    [
      DaySection(series: MissionSeries(figures.days)),
      OutstandingSection(figures: figures),
      CourseSection(zones: figures.zones),
      StreakSection(streaks: figures.streaks),
      SurvivalSection(ended: figures.endedStreaks, running: figures.streaks),
      UnknownDaySection(days: figures.unknownDays),
      UnknownSection(unknowns: figures.unknowns),
      ActSection(figures: figures),
      JobSection(jobs: figures.jobs),
      DeliverySection(sinks: figures.sinks),
    ]
  }

  /// Hands the page to `sink`: UTF-8, in order, in pieces that together need far less memory than the page.
  public func write<Failure>(
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
