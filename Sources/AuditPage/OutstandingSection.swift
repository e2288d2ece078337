import CivilTime
import RewardRules

/// The growth of users' points and coins, and whether the sums agree.
struct OutstandingSection: AuditPageSection {
  static let id = "outstanding"
  static let title = "Points and coins outstanding"

  let figures: AuditFigures

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    let changes = self.changes
    guard let first = changes.keys.min(), let last = changes.keys.max() else {
      return try put("<p class=\"nothing\">Nobody has anything yet.</p>\n")
    }
    try put(agreement)
    let periods = PlotPeriods(covering: first...last)
    var levels = [AuditFigures.Sum](repeating: AuditFigures.Sum(), count: periods.count)
    for (day, change) in changes { levels[periods.index(of: day)] += change }
    for index in levels.indices.dropFirst() { levels[index] += levels[index - 1] }
    for unit in RewardUnit.held {
      let name = unit.rawValue
      let plot = StackedPlot(
        measure: PlotMeasure(
          id: "outstanding-\(name)", title: "\(unit.title) outstanding", noun: name,
          series: "unit", isLevel: true
        ) { $0.amounts[unit] },
        periods: periods, missions: [MissionSeries.Mission(name: name, periods: levels)])
      try put(plot.html)
      if !plot.isEmpty { try put(plot.values) }
    }
  }

  /// The change on each day, including what came from elsewhere.
  private var changes: [Day: AuditFigures.Sum] {
    var changes = figures.elsewhere
    for day in figures.days {
      for sum in day.missions.values { changes[day.day, default: .init()] += sum }
    }
    return changes
  }

  /// What was given, compared with the users' balances.
  private var agreement: HTML {
    let given = figures.given
    let lines = RewardUnit.held.map { unit -> HTML in
      let (elsewhere, granted) = (given.elsewhere.amounts[unit], given.here.amounts[unit])
      let (sum, held) = (given.all.amounts[unit], figures.totals.amounts[unit])
      let mark: HTML =
        sum == held
        ? "<span class=\"passed\">\(StateMark.passed.html)agrees</span>"
        : "<span class=\"found\">\(StateMark.found.html)differs</span>"
      return """
        <tr><th scope="row">\(unit.title)</th><td class="number">\(grouped: elsewhere)</td>\
        <td class="number">\(grouped: granted)</td><td class="number">\(grouped: sum)</td>\
        <td class="number">\(grouped: held)</td><td class="state">\(mark)</td></tr>

        """
    }
    return """
      <div class="scroll" role="region" aria-label="Sums" tabindex="0"><table>
      <caption>Opening balances and credits, less what was spent, plus all grants, adjustments, waivers and reversals, compared with the sum of all balances</caption>
      <thead><tr><th scope="col">Unit</th><th scope="col" class="number">Elsewhere</th>\
      <th scope="col" class="number">Given since</th><th scope="col" class="number">Sum</th>\
      <th scope="col" class="number">Balances</th><th scope="col">State</th></tr></thead>
      <tbody>
      \(lines.joined())</tbody></table></div>

      """
  }
}
