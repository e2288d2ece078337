import CivilTime

/// What remained unknown, day by day, so that an outage stands out.
struct UnknownDaySection: AuditPageSection {
  static let id = "unknown-days"
  static let title = "Unknowns by day"

  let days: [Day: [String: Int]]

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    let series = MissionSeries(
      days.map { day, causes in
        AuditFigures.DayFigures(
          day: day, missions: causes.mapValues { AuditFigures.Sum(grants: Int64($0)) })
      })
    guard let periods = series.periods else {
      return try put("<p class=\"nothing\">No verdict stayed unknown.</p>\n")
    }
    if let remark = periods.remark { try put("<p>\(remark)</p>\n") }
    let plot = StackedPlot(
      measure: PlotMeasure(
        id: "unknown-verdicts", title: "Unknown verdicts", noun: "unknown verdicts", series: "cause"
      ) { $0.grants }, periods: periods, missions: series.missions)
    try put("\(plot.html)\(plot.legend)\(plot.values)")
  }
}
