import CivilTime
import RewardRules

/// Sums by mission and period for plots and tables: the largest missions individually, the others combined.
struct MissionSeries: Sendable {
  /// The maximum number of distinguishable colours; the last is for the other missions.
  static let limit = 8

  /// A mission and its totals.
  struct Mission: Sendable {
    let name: String
    /// Whether it stands for all missions not listed individually.
    let isRest: Bool
    fileprivate(set) var total = AuditFigures.Sum()
    /// The sum of each period.
    fileprivate(set) var periods: [AuditFigures.Sum]

    /// Creates a series from its sums by period.
    init(name: String, isRest: Bool = false, periods: [AuditFigures.Sum]) {
      self.name = name
      self.isRest = isRest
      self.periods = periods
      total = periods.reduce(into: AuditFigures.Sum()) { $0 += $1 }
    }
  }

  /// The periods; nil if there are no days.
  let periods: PlotPeriods?
  /// The missions, largest first, the others last.
  private(set) var missions: [Mission] = []

  /// Creates the sums of `days`, which may have gaps and be in any order.
  init(_ days: [AuditFigures.DayFigures]) {
    let numbers = days.map(\.day)
    guard let first = numbers.min(), let last = numbers.max() else {
      periods = nil
      return
    }
    let periods = PlotPeriods(covering: first...last)
    self.periods = periods
    let ranks = fillRanks(days, periods: periods.count)
    for day in days {
      let period = periods.index(of: day.day)
      for (name, sum) in day.missions {
        guard let rank = ranks[name] else { continue }
        missions[rank].total += sum
        missions[rank].periods[period] += sum
      }
    }
  }

  /// Creates the missions, still empty, and assigns each name its rank.
  private mutating func fillRanks(
    _ days: [AuditFigures.DayFigures], periods: Int
  ) -> [String: Int] {
    var totals: [String: AuditFigures.Sum] = [:]
    for day in days { totals.merge(day.missions) { $0.adding($1) } }
    let names = totals.sorted {
      ($1.value.amounts.points, $1.value.grants, $0.key)
        < ($0.value.amounts.points, $0.value.grants, $1.key)
    }.map(\.key)
    let own = names.count > Self.limit ? Self.limit - 1 : names.count
    let empty = [AuditFigures.Sum](repeating: AuditFigures.Sum(), count: periods)
    missions = names.prefix(own).map { Mission(name: $0, isRest: false, periods: empty) }
    if names.count > own {
      let name = "\(NumberText.grouped(names.count - own)) other missions"
      missions.append(Mission(name: name, isRest: true, periods: empty))
    }
    return Dictionary(
      uniqueKeysWithValues: names.enumerated().map { ($1, min($0, missions.count - 1)) })
  }
}

extension AuditFigures.Sum {
  /// Returns the sum of both.
  fileprivate func adding(_ other: Self) -> Self {
    var sum = self
    sum += other
    return sum
  }
}
