/// A yearly moment, as POSIX time zone rules name it.
struct RuleDate {
  /// The form of the date.
  enum Form {
    /// The day of the year, 1 to 365. 29 February is never counted.
    case dayWithoutLeapDay(Int)
    /// The day of the year, 0 to 365. 29 February is counted.
    case dayOfYear(Int)
    /// The weekday (0 for Sunday) of a week (1 to 5, where 5 is the last) of a month.
    case weekday(Int, week: Int, month: Int)
  }

  let form: Form
  /// Seconds after 00:00 of the date, from -167 to 167 hours.
  let seconds: Int64

  /// Returns the moment in `year`, in seconds since 1970 on the clock that the rule refers to.
  func localSeconds(in year: Int) -> Int64 { Int64(dayNumber(in: year)) * 86_400 + seconds }

  private func dayNumber(in year: Int) -> Int {
    switch form {
    case .dayWithoutLeapDay(let day):
      let isAfterLeapDay = day >= 60 && Day.days(inMonth: 2, of: year) == 29
      return Day.number(year: year, month: 1, day: 1) + day - (isAfterLeapDay ? 0 : 1)
    case .dayOfYear(let day):
      return Day.number(year: year, month: 1, day: 1) + day
    case .weekday(let weekday, let week, let month):
      let first = Day.number(year: year, month: month, day: 1)
      let firstWeekday = Day(number: Int32(clamping: first)).weekday
      let offset = (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
      return first + (offset < Day.days(inMonth: month, of: year) ? offset : offset - 7)
    }
  }
}
