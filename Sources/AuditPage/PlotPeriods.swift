import CivilTime

/// Time divided into equal periods, as many as a plot can show: days, else weeks, else one or more months.
struct PlotPeriods: Sendable, Equatable {
  /// The maximum number of columns that are distinguishable on a narrow screen.
  static let limit = 62

  private enum Unit: Equatable {
    case day
    /// A week from Monday.
    case week
    /// A number of months, counted from January of year 0.
    case months(Int)
  }

  private let unit: Unit
  private let first: Int
  /// The number of periods.
  let count: Int

  /// Chooses the finest periods that cover `days` with at most ``limit`` columns.
  init(covering days: ClosedRange<Day>) {
    var units: [Unit] = [.day, .week, .months(1), .months(3)]
    var years = 1
    func count(_ unit: Unit) -> Int {
      Self.index(of: days.upperBound, unit) - Self.index(of: days.lowerBound, unit) + 1
    }
    while count(units[units.count - 1]) > Self.limit {
      units.append(.months(12 * years))
      years *= 2
    }
    let unit = units.first { count($0) <= Self.limit } ?? units[units.count - 1]
    self.unit = unit
    first = Self.index(of: days.lowerBound, unit)
    self.count = count(unit)
  }

  /// Returns the index of the period that contains `day`, from 0.
  func index(of day: Day) -> Int { Self.index(of: day, unit) - first }

  /// Returns the name of the period at `index`: its first day, or its first month.
  func name(of index: Int) -> String {
    switch unit {
    case .day: return Day(number: Int32(first + index)).description
    case .week: return Day(number: Int32((first + index) * 7 - 3)).description
    case .months(let months):
      let month = (first + index) * months
      let day = Day(year: max(1, month / 12), month: month % 12 + 1, day: 1)
      return String((day?.description ?? "").prefix(7))
    }
  }

  /// The name of one period, as in `per week`.
  var noun: String {
    switch unit {
    case .day: "day"
    case .week: "week"
    case .months(1): "month"
    case .months(3): "quarter"
    case .months(12): "year"
    case .months(let months): "\(months / 12)-year period"
    }
  }

  /// The heading for a column of ``name(of:)``.
  var heading: String {
    switch unit {
    case .day: "Day"
    case .week: "Week from"
    case .months(1): "Month"
    case .months: "From"
    }
  }

  /// A remark about the periods that readers need; nil if there is none.
  var remark: String? {
    let naming: String
    switch unit {
    case .day: return nil
    case .week: naming = ", named by its Monday"
    case .months(1): naming = ""
    case .months: naming = ", named by its first month"
    }
    return "Each column is a \(noun)\(naming), because there are too many days for a column each. "
      + "The first and the last may be incomplete."
  }

  private static func index(of day: Day, _ unit: Unit) -> Int {
    switch unit {
    case .day: return Int(day.number)
    case .week:
      // 1969-12-29, three days before day 0, was a Monday.
      let days = Int(day.number) + 3
      return days >= 0 ? days / 7 : (days - 6) / 7
    case .months(let months):
      let civil = day.civil
      return (civil.year * 12 + civil.month - 1) / months
    }
  }
}
