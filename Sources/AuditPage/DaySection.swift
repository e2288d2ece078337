import RewardRules

/// Grants by day and mission.
struct DaySection: AuditPageSection {
  static let id = "days"
  static let title = "Grants, points and exp"

  let series: MissionSeries
  /// What the rules call their missions, by name.
  let titles: [String: String]

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    guard let periods = series.periods, !series.missions.isEmpty else {
      return try put("<p class=\"nothing\">Nothing has been granted yet.</p>\n")
    }
    if let remark = periods.remark { try put("<p>\(remark)</p>\n") }
    try put(missions)
    for measure in PlotMeasure.ofDays {
      let plot = StackedPlot(measure: measure, periods: periods, missions: series.missions)
      try put(plot.html)
      if !plot.isEmpty { try put(plot.values) }
    }
  }

  private func title(of mission: MissionSeries.Mission) -> HTML {
    guard let title = titles[mission.name], !mission.isRest else { return "" }
    return ": \(name: title)"
  }

  /// The missions with their totals, which also serve as the plots' legend.
  private var missions: HTML {
    let whole = series.missions.reduce(into: AuditFigures.Sum()) { $0 += $1.total }
    func share(_ sum: AuditFigures.Sum) -> String {
      NumberText.share(of: Double(sum.amounts.points), in: Double(whole.amounts.points))
    }
    let rows = series.missions.enumerated().map { index, mission -> HTML in
      """
      <tr><th scope="row">\(StackedPlot.swatch(of: index, isRest: mission.isRest))\
      \(name: mission.name)\(title(of: mission))</th><td class="number">\(grouped: mission.total.grants)</td>\
      <td class="number">\(grouped: mission.total.amounts.points)</td>\
      <td class="number">\(grouped: mission.total.amounts.exp)</td>\
      <td class="number">\(share(mission.total))</td></tr>

      """
    }
    return """
      <div class="scroll" role="region" aria-label="Totals by mission" tabindex="0"><table>
      <caption>Totals by mission; the plots stack the missions in this order, the first at the bottom. \
      A grant counts once, and no longer once it is taken back; adjustments add only amounts</caption>
      <thead><tr><th scope="col">Mission</th><th scope="col" class="number">Grants</th>\
      <th scope="col" class="number">Points</th><th scope="col" class="number">Exp</th>\
      <th scope="col" class="number">Share of points</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody>
      <tfoot><tr><th scope="row">All</th><td class="number">\(grouped: whole.grants)</td>\
      <td class="number">\(grouped: whole.amounts.points)</td><td class="number">\(grouped: whole.amounts.exp)</td>\
      <td class="number">\(share(whole))</td></tr></tfoot>
      </table></div>

      """
  }
}
