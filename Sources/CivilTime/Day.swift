/// A calendar date of the proleptic Gregorian calendar, years 1 to 9999.
///
/// A day by itself has no zone and no duration; a zone gives it its window.
public struct Day: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01.
  public let number: Int32

  /// Creates the date `number` days after 1970-01-01.
  @inlinable
  public init(number: Int32) { self.number = number }

  /// Creates the date; nil if it does not exist or its year is not 1 to 9999.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.days(inMonth: month, of: year)
    else { return nil }
    number = Int32(Self.number(year: year, month: month, day: day))
  }

  /// Returns the days from 1970-01-01 to a date of any year, including years that no ``Day`` can have.
  static func number(year: Int, month: Int, day: Int) -> Int {
    // Counting years from March makes the leap day the last of its year.
    let shiftedYear = month > 2 ? year : year - 1
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Parses a date written exactly as `YYYY-MM-DD`; nil for anything else.
  public init?(_ text: String) {
    let digits = Array(text.utf8)
    guard digits.count == 10, digits[4] == UInt8(ascii: "-"), digits[7] == UInt8(ascii: "-"),
      let year = Self.number(digits[0..<4]), let month = Self.number(digits[5..<7]),
      let day = Self.number(digits[8..<10])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// The year, the month (1 to 12) and the day of the month (from 1).
  public var civil: (year: Int, month: Int, day: Int) {
    let shifted = Int(number) + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  /// The weekday, 0 for Sunday to 6 for Saturday.
  public var weekday: Int { Int((number % 7 + 11) % 7) }

  /// Returns the date `days` later, or earlier when negative.
  @inlinable
  public func adding(days: Int32) -> Day { Day(number: number + days) }

  /// Returns the number of days in `month` (1 to 12) of `year`.
  public static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Orders dates chronologically.
  @inlinable
  public static func < (left: Day, right: Day) -> Bool { left.number < right.number }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
  }
}

extension Day: CustomStringConvertible {
  /// The date as `YYYY-MM-DD`.
  public var description: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(10)
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the date as `YYYY-MM-DD`.
  public func append(to bytes: inout [UInt8]) {
    let (year, month, day) = civil
    InstantFormat.appendTwoDigits(year / 100, to: &bytes)
    InstantFormat.appendTwoDigits(year % 100, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    InstantFormat.appendTwoDigits(month, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    InstantFormat.appendTwoDigits(day, to: &bytes)
  }
}
