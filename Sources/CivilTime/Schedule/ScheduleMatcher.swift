/// The local times named by a schedule, whatever the zone: one bit for each allowed number of each field.
struct ScheduleMatcher: Hashable, Sendable {
  /// Bits by ``ScheduleField/rawValue``; weekday 7 is stored as 0.
  private let bits: [UInt64]
  /// Whether a day may match by day of month or by weekday. Otherwise it must match by both.
  private let isEitherDayEnough: Bool

  init(bits: [UInt64], isEitherDayEnough: Bool) {
    var bits = bits
    let sundays = bits[ScheduleField.weekday.rawValue]
    bits[ScheduleField.weekday.rawValue] = (sundays | sundays >> 7) & 0x7F
    self.bits = bits
    self.isEitherDayEnough = isEitherDayEnough
  }

  /// Whether any year has a matching day.
  var hasDays: Bool {
    if isEitherDayEnough { return true }
    // A leap year, so that 29 February counts. Every date falls on every weekday in some year.
    return (1...12).contains { month in
      has(month, .month)
        && (1...Day.days(inMonth: month, of: 2_000)).contains { has($0, .dayOfMonth) }
    }
  }

  /// Returns the first matching local time at or after `local`, in seconds since 1970 on a clock that never changes.
  /// Nil if there is none up to the year 9999.
  func first(from local: Int64) -> Int64? {
    let minute = (max(local, Instant.earliest.seconds) + 59).flooredQuotient(dividingBy: 60)
    let number = minute.flooredQuotient(dividingBy: 1_440)
    let start = Day(number: Int32(clamping: number))
    guard let day = firstDay(from: start) else { return nil }
    if day == start, let found = firstMinute(from: Int(minute - number * 1_440)) {
      return Self.seconds(day, minuteOfDay: found)
    }
    let later = day == start ? firstDay(from: day.adding(days: 1)) : day
    guard let later, let found = firstMinute(from: 0) else { return nil }
    return Self.seconds(later, minuteOfDay: found)
  }

  private func firstMinute(from minuteOfDay: Int) -> Int? {
    let hour = minuteOfDay / 60
    if has(hour, .hour), let minute = next(.minute, from: minuteOfDay % 60) {
      return hour * 60 + minute
    }
    guard let later = next(.hour, from: hour + 1), let minute = next(.minute, from: 0) else {
      return nil
    }
    return later * 60 + minute
  }

  private func firstDay(from start: Day) -> Day? {
    var (year, month, dayOfMonth) = start.civil
    while year <= 9_999 {
      guard let matching = next(.month, from: month) else {
        (year, month, dayOfMonth) = (year + 1, 1, 1)
        continue
      }
      if matching > month { (month, dayOfMonth) = (matching, 1) }
      let dayBeforeFirst = Day.number(year: year, month: month, day: 1) - 1
      let last = Day.days(inMonth: month, of: year)
      while dayOfMonth <= last {
        let day = Day(number: Int32(clamping: dayBeforeFirst + dayOfMonth))
        if matches(dayOfMonth, weekday: day.weekday) { return day }
        dayOfMonth += 1
      }
      (month, dayOfMonth) = (month + 1, 1)
    }
    return nil
  }

  private func matches(_ dayOfMonth: Int, weekday: Int) -> Bool {
    let byDay = has(dayOfMonth, .dayOfMonth)
    let byWeekday = has(weekday, .weekday)
    return isEitherDayEnough ? byDay || byWeekday : byDay && byWeekday
  }

  private func has(_ number: Int, _ field: ScheduleField) -> Bool {
    bits[field.rawValue] >> UInt64(number) & 1 == 1
  }

  /// Returns the least allowed number of `field` that is at least `number`.
  private func next(_ field: ScheduleField, from number: Int) -> Int? {
    let rest = bits[field.rawValue] >> UInt64(number)
    return rest == 0 ? nil : number + rest.trailingZeroBitCount
  }

  private static func seconds(_ day: Day, minuteOfDay: Int) -> Int64 {
    Int64(day.number) * 86_400 + Int64(minuteOfDay) * 60
  }
}
