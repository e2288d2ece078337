/// How a simulated user spends their days.
package enum Habit: UInt8, CaseIterable, Sendable {
  /// Nearly every day, at any hour.
  case daily
  /// Nearly every day, around midnight.
  case nightOwl
  /// Saturdays and Sundays.
  case weekends
  /// Now and then.
  case occasional
  /// Daily until a certain day, then never again.
  case lapsed
  /// Never until a certain day, then daily.
  case newcomer
  /// An unused account.
  case absent

  /// The percentage of users with this habit.
  var weight: Int {
    switch self {
    case .daily: 40
    case .nightOwl: 15
    case .weekends: 15
    case .occasional: 12
    case .lapsed: 8
    case .newcomer: 6
    case .absent: 4
    }
  }

  /// Returns the probability that a day, counted from the first, is spent in the app; `turn` is the day on which the user's life
  /// changes.
  func probability(onDay index: Int, weekday: Int, turn: Int) -> Double {
    switch self {
    case .daily, .nightOwl: 0.93
    case .weekends: weekday == 0 || weekday == 6 ? 0.95 : 0.08
    case .occasional: 0.3
    case .lapsed: index < turn ? 0.95 : 0
    case .newcomer: index >= turn ? 0.95 : 0
    case .absent: 0
    }
  }
}
