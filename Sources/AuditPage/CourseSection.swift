import CivilTime

/// The course of the users' days: active, broken, held and excused, in total and by zone.
struct CourseSection: AuditPageSection {
  static let id = "course"
  static let title = "Users and streaks by day"

  /// The number of zones shown; those with fewer user-days are summed up.
  private static let shown = 24

  let zones: [String: [Day: AuditFigures.UserDays]]

  private static let parts: [(name: String, value: @Sendable (AuditFigures.UserDays) -> Int)] = [
    ("active", \.counted), ("streak held", \.held), ("excused", \.excused),
    ("streak broken", \.broken),
  ]

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    let all = Self.sum(Array(zones.values))
    guard let first = all.keys.min(), let last = all.keys.max() else {
      return try put("<p class=\"nothing\">No day has been closed yet.</p>\n")
    }
    let periods = PlotPeriods(covering: first...last)
    if let remark = periods.remark { try put("<p>\(remark)</p>\n") }
    try put(
      """
      <p>The state when each day was closed. Active users did something that counts for the streak. Users missing from a column missed the day and had no streak.</p>

      """)
    try put(Self.html(of: all, periods, id: "all"))
    let ranked = zones.map { (name: $0.key, days: $0.value, size: Self.size(of: $0.value)) }
      .sorted { ($1.size, $0.name) < ($0.size, $1.name) }
    guard ranked.count > 1 else { return }
    try put("<h3>By zone</h3>\n")
    for (index, zone) in ranked.prefix(Self.shown).enumerated() {
      try put(Self.folded(zone.name, zone.days, periods, id: "z\(index)"))
    }
    let rest = ranked.dropFirst(Self.shown)
    if !rest.isEmpty {
      let name = "\(NumberText.counted(rest.count, "other zone"))"
      try put(Self.folded(name, Self.sum(rest.map(\.days)), periods, id: "rest"))
    }
  }

  private static func folded(
    _ name: String, _ days: [Day: AuditFigures.UserDays], _ periods: PlotPeriods, id: String
  ) -> HTML {
    let count = NumberText.counted(size(of: days), "user-day")
    return """
      <details class="zone" name="zone"><summary>\(name: name), \(count)</summary>
      \(html(of: days, periods, id: id))</details>

      """
  }

  private static func html(
    of days: [Day: AuditFigures.UserDays], _ periods: PlotPeriods, id: String
  ) -> HTML {
    let series = parts.map { part in
      var sums = [AuditFigures.Sum](repeating: AuditFigures.Sum(), count: periods.count)
      for (day, users) in days {
        sums[periods.index(of: day)] += AuditFigures.Sum(grants: Int64(part.value(users)))
      }
      return MissionSeries.Mission(name: part.name, periods: sums)
    }
    let plot = StackedPlot(
      measure: PlotMeasure(
        id: "course-\(id)", title: "Users", noun: "users", series: "outcome"
      ) { $0.grants }, periods: periods, missions: series)
    return plot.isEmpty ? plot.html : "\(plot.html)\(plot.legend)\(plot.values)"
  }

  private static func size(of days: [Day: AuditFigures.UserDays]) -> Int {
    days.values.reduce(0) { $0 + $1.users }
  }

  private static func sum(
    _ zones: [[Day: AuditFigures.UserDays]]
  ) -> [Day: AuditFigures.UserDays] {
    var all: [Day: AuditFigures.UserDays] = [:]
    for zone in zones {
      for (day, users) in zone { all[day, default: .init()] += users }
    }
    return all
  }
}
