internal import CivilTime

/// Parses HTTP dates (RFC 9110, 5.6.7) in the current form and the two obsolete ones.
enum HTTPDate {
  private static let months: [String] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let weekdays: [String] = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  /// Returns the instant written in `bytes`, or nil. A two-digit year is resolved relative to `now` as in RFC 9110.
  static func parse(_ bytes: [UInt8], now: Instant) -> Instant? {
    let text = String(decoding: bytes, as: UTF8.self)
    let words = text.split(separator: " ").map(String.init)
    guard let first = words.first else { return nil }
    if first.hasSuffix(",") {
      let weekday = String(first.dropLast())
      return weekday.utf8.count == 3
        ? current(words, weekday: weekday) : obsolete(words, weekday: weekday, now: now)
    }
    return asctime(words, weekday: first)
  }

  /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static func current(_ words: [String], weekday: String) -> Instant? {
    guard words.count == 6, words[5] == "GMT", isWeekday(weekday), words[1].utf8.count == 2,
      words[3].utf8.count == 4
    else { return nil }
    return instant(day: words[1], month: words[2], year: number(words[3]), time: words[4])
  }

  /// Parses `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850).
  private static func obsolete(_ words: [String], weekday: String, now: Instant) -> Instant? {
    guard words.count == 4, words[3] == "GMT", weekdays.contains(weekday) else { return nil }
    let date = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard date.count == 3, date[0].utf8.count == 2, date[2].utf8.count == 2,
      let shortYear = number(date[2])
    else { return nil }
    // A year that appears more than fifty years ahead is the last past year with these digits (RFC 9110, 5.6.7).
    let century = Day(number: Int32(clamping: now.seconds / 86_400)).civil.year / 100 * 100
    return [century + 100, century, century - 100].lazy.compactMap { century in
      instant(day: date[0], month: date[1], year: century + shortYear, time: words[2])
    }.first { isWithinFiftyYears($0, of: now) }
  }

  private static func isWithinFiftyYears(_ instant: Instant, of now: Instant) -> Bool {
    func clock(_ instant: Instant, yearsBack: Int) -> (Int, Int, Int, Int32) {
      let utc = LocalDateTime(seconds: instant.seconds)
      let (year, month, day) = utc.day.civil
      return (year - yearsBack, month, day, utc.secondOfDay)
    }
    return clock(instant, yearsBack: 50) <= clock(now, yearsBack: 0)
  }

  /// Parses `Sun Nov  6 08:49:37 1994`.
  private static func asctime(_ words: [String], weekday: String) -> Instant? {
    guard words.count == 5, isWeekday(weekday), words[4].utf8.count == 4 else { return nil }
    return instant(day: words[2], month: words[1], year: number(words[4]), time: words[3])
  }

  private static func instant(day: String, month: String, year: Int?, time: String) -> Instant? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }), let hour = number(clock[0]),
      let minute = number(clock[1]), let second = number(clock[2]), hour < 24, minute < 60,
      second <= 60, let dayOfMonth = number(day), let year,
      let monthIndex = months.firstIndex(of: month),
      let date = Day(year: year, month: monthIndex + 1, day: dayOfMonth)
    else { return nil }
    return Instant(
      seconds: Int64(date.number) * 86_400 + Int64(hour * 3_600 + minute * 60 + second))
  }

  private static func isWeekday(_ short: String) -> Bool {
    short.utf8.count == 3 && weekdays.contains { $0.hasPrefix(short) }
  }

  private static func number(_ digits: String) -> Int? {
    guard digits.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
      return nil
    }
    return Int(digits)
  }
}
