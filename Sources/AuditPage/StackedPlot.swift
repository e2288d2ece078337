import RewardRules

/// A plot of columns over time, each a stack of series. Drawn in shares of its box, so that it fits any width while its text
/// keeps its size.
struct StackedPlot {
  let measure: PlotMeasure
  let periods: PlotPeriods
  let missions: [MissionSeries.Mission]
  private let totals: [Int64]

  /// The share of its slot that a column fills.
  private static let columnShare = 0.78
  /// The minimum number of slots, so that a few columns do not fill the whole width.
  private static let leastSlots = 10
  /// The heights in pixels of the drawing, and of the box that includes the names below it.
  private static let height = (drawing: 168, box: 194)

  init(measure: PlotMeasure, periods: PlotPeriods, missions: [MissionSeries.Mission]) {
    self.measure = measure
    self.periods = periods
    self.missions = missions
    totals = (0..<periods.count).map { period in
      missions.reduce(into: AuditFigures.Sum()) { $0 += $1.periods[period] }
    }.map(measure.value)
  }

  /// Whether there is nothing to draw.
  var isEmpty: Bool { !missions.contains { $0.periods.contains { measure.value(of: $0) > 0 } } }

  /// Returns the value of each mission in a period.
  func values(of period: Int) -> [Int64] { missions.map { measure.value(of: $0.periods[period]) } }

  /// Returns the total of all missions in a period.
  func total(of period: Int) -> Int64 { totals[period] }

  /// Returns a sample of a mission's colour.
  static func swatch(of index: Int, isRest: Bool) -> HTML {
    """
    <svg class="swatch" width="12" height="12" aria-hidden="true">\
    <rect class="\(colour(of: index, isRest: isRest))" width="12" height="12" rx="2"/></svg>
    """
  }

  /// The plot with its heading, or a sentence if there is nothing to draw.
  var html: HTML {
    let id = measure.noun
    return """
      <figure>
      <figcaption><h3>\(title)</h3>
      <p class="note">\(isEmpty ? "No \(id) in any \(periods.noun)." : summary)</p></figcaption>
      \(isEmpty ? "" : drawing)</figure>

      """
  }

  /// The plot's title, such as `Points per day`.
  var title: String {
    measure.isLevel
      ? "\(measure.title), by \(periods.noun)" : "\(measure.title) per \(periods.noun)"
  }

  /// The numbers behind the plot, folded.
  var values: HTML {
    let names = missions.map { mission -> HTML in
      "<th scope=\"col\" class=\"number\">\(name: mission.name)</th>"
    }
    let rows = (0..<periods.count).map { period -> HTML in
      let values = values(of: period).map { value -> HTML in
        value == 0
          ? "<td class=\"number none\">0</td>" : "<td class=\"number\">\(grouped: value)</td>"
      }
      return """
        <tr><th scope="row">\(periods.name(of: period))</th>\(values.joined())\
        <td class="number">\(grouped: total(of: period))</td></tr>

        """
    }
    return """
      <details class="values"><summary>\(measure.title) as numbers</summary>
      <div class="scroll" role="region" aria-label="\(title)" tabindex="0"><table>
      <caption>\(title) and \(measure.series)</caption>
      <thead><tr><th scope="col">\(periods.heading)</th>\(names.joined())\
      <th scope="col" class="number">All</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table></div></details>

      """
  }

  /// The legend: the series' colours and names.
  var legend: HTML {
    let names = missions.enumerated().map { index, mission -> HTML in
      "<li>\(Self.swatch(of: index, isRest: mission.isRest))\(name: mission.name)</li>"
    }
    return "<ul class=\"legend\">\(names.joined())</ul>\n"
  }

  /// The columns and their scale.
  private var drawing: HTML {
    // The table includes what a period took away; a column shows only what it gave.
    let heights = (0..<periods.count).map { values(of: $0).reduce(0.0) { $0 + Self.drawn($1) } }
    let top = Self.scaleTop(heights.max() ?? 0)
    let id = measure.id
    return """
      <div class="plot">
      <div class="scale" aria-hidden="true"><span>\(NumberText.compact(top))</span>\
      <span>\(NumberText.compact(top / 2))</span><span>0</span></div>
      <svg class="columns" role="img" aria-labelledby="t-\(id) d-\(id)" width="100%" \
      height="\(Self.height.box)">
      <title id="t-\(id)">\(title) by \(measure.series)</title>
      <desc id="d-\(id)">\(summary)</desc>
      <svg width="100%" height="\(Self.height.drawing)">
      \(grid)
      \((0..<periods.count).map { column($0, top: top) }.joined())</svg>
      \(names)
      </svg>
      </div>

      """
  }

  private var slots: Double { Double(max(periods.count, Self.leastSlots)) }

  private var summary: HTML {
    let largest = totals.indices.max { totals[$0] < totals[$1] } ?? 0
    let whole = missions.reduce(into: AuditFigures.Sum()) { $0 += $1.total }
    let all: HTML =
      measure.isLevel
      ? "\(grouped: totals.last ?? 0) at the end" : "\(grouped: measure.value(of: whole)) in all"
    return """
      \(all), at most \(grouped: totals[largest]) \(measure.isLevel ? "after" : "in") one \
      \(periods.noun) (\(periods.name(of: largest))).
      """
  }

  private var grid: HTML {
    [0.0, 0.5, 1.0].map { share -> HTML in
      """
      <line\(share == 1 ? " class=\"base\"" : "" as HTML) x1="0" x2="100%" \
      y1="\(length: share)" y2="\(length: share)"/>
      """
    }.joined()
  }

  /// Returns a period's stack and, underneath, an area that shows the values when pointed at.
  private func column(_ period: Int, top: Double) -> HTML {
    let slot = 1 / slots
    let left = (Double(period) + (1 - Self.columnShare) / 2) * slot
    var height = 0.0
    var stack: HTML = ""
    var lines: HTML = "\(periods.name(of: period)): \(grouped: totals[period])"
    for (index, mission) in missions.enumerated() {
      let value = measure.value(of: mission.periods[period])
      if value == 0 { continue }
      lines += "\n\(titleName: mission.name) \(grouped: value)"
      let share = Self.drawn(value) / top
      height += share
      stack += """
        <rect class="\(Self.colour(of: index, isRest: mission.isRest))" x="\(length: left)" \
        width="\(length: slot * Self.columnShare)" y="\(length: 1 - height)" \
        height="\(length: share)"/>
        """
    }
    return """
      <g><title>\(lines)</title><rect class="area" x="\(length: Double(period) * slot)" \
      width="\(length: slot)" height="100%"/>\(stack)</g>

      """
  }

  /// The names below the first, middle and last columns, where there is room.
  private var names: HTML {
    let count = periods.count
    var places = [(index: 0, anchor: "start")]
    if count >= 9 { places.append((count / 2, "middle")) }
    if count >= 5 { places.append((count - 1, count < Self.leastSlots ? "middle" : "end")) }
    return places.map { index, anchor -> HTML in
      let offset = anchor == "start" ? 0 : anchor == "middle" ? 0.5 : 1
      return """
        <text x="\(length: (Double(index) + offset) / slots)" y="\(Self.height.box - 8)" \
        text-anchor="\(anchor)">\(periods.name(of: index))</text>
        """
    }.joined()
  }

  private static func colour(of index: Int, isRest: Bool) -> HTML {
    isRest ? "series-rest" : "series-\(index)"
  }

  private static func drawn(_ value: Int64) -> Double { Double(max(0, value)) }

  /// Returns the end of a scale for values up to `highest`: a round number whose half is round too.
  private static func scaleTop(_ highest: Double) -> Double {
    var unit = 1.0
    while unit * 10 < highest { unit *= 10 }
    let steps = unit == 1 ? [2, 4, 6, 8, 10] : [1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10]
    return steps.map { $0 * unit }.first { $0 >= highest } ?? unit * 10
  }
}

/// A quantity that a plot shows.
struct PlotMeasure: Sendable {
  /// The drawing's id, unique on the page.
  let id: String
  /// The heading.
  let title: String
  /// The quantity, in lower case.
  let noun: String
  /// The parts of a column.
  var series = "mission"
  /// Whether a column shows a level rather than a change.
  var isLevel = false
  private let part: @Sendable (AuditFigures.Sum) -> Int64

  /// Creates a measure; `part` extracts it from a sum.
  init(
    id: String, title: String, noun: String, series: String = "mission", isLevel: Bool = false,
    part: @escaping @Sendable (AuditFigures.Sum) -> Int64
  ) {
    self.id = id
    self.title = title
    self.noun = noun
    self.series = series
    self.isLevel = isLevel
    self.part = part
  }

  /// The measures of the plots by day.
  static let ofDays = [
    PlotMeasure(id: "grants", title: "Grants", noun: "grants") { $0.grants },
    PlotMeasure(id: "points", title: "Points", noun: "points") { $0.amounts.points },
    PlotMeasure(id: "exp", title: "Exp", noun: "exp") { $0.amounts.exp },
  ]

  /// Returns the measure's part of `sum`.
  func value(of sum: AuditFigures.Sum) -> Int64 { part(sum) }
}
