extension POSIXRule {
  /// Parses a rule as in the `TZ` variable of POSIX, with change times from -167 to 167 hours as in RFC 9636, e.g.
  /// `<+0330>-3:30` or `EST5EDT,M3.2.0,M11.1.0`. Nil for anything else.
  init?(_ text: [UInt8]) {
    var scanner = Scanner(text)
    guard scanner.skipName(), let standard = scanner.time(hoursUpTo: 24) else { return nil }
    standardOffset = -standard
    guard !scanner.isAtEnd else {
      daylight = nil
      return
    }
    guard scanner.skipName() else { return nil }
    var offset = standardOffset + 3_600
    if !scanner.skip(",") {
      guard let west = scanner.time(hoursUpTo: 24), scanner.skip(",") else { return nil }
      offset = -west
    }
    guard let start = scanner.date(), scanner.skip(","), let end = scanner.date(), scanner.isAtEnd
    else { return nil }
    daylight = Daylight(offset: offset, start: start, end: end)
  }
}

/// A cursor over the text of a rule. Each method returns nil where the text does not fit, and the rule is refused.
private struct Scanner {
  private let text: [UInt8]
  private var position = 0

  init(_ text: [UInt8]) { self.text = text }

  var isAtEnd: Bool { position == text.count }

  private var next: UInt8? { position < text.count ? text[position] : nil }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Skips a name, `EST` or `<+0330>`, of at least three characters; returns false if there is none.
  mutating func skipName() -> Bool {
    let isQuoted = skip("<")
    let start = position
    while let byte = next, byte.isLetter || isQuoted && (byte.isDigit || byte.isSign) {
      position += 1
    }
    return position - start >= 3 && (!isQuoted || skip(">"))
  }

  /// Reads `[+-]h[h][:mm[:ss]]` as seconds.
  mutating func time(hoursUpTo limit: Int) -> Int64? {
    let isNegative = skip("-")
    if !isNegative { _ = skip("+") }
    guard let hours = number(upTo: limit) else { return nil }
    var seconds = hours * 3_600
    if skip(":") {
      guard let minutes = number(upTo: 59) else { return nil }
      seconds += minutes * 60
      if skip(":") {
        guard let rest = number(upTo: 59) else { return nil }
        seconds += rest
      }
    }
    return Int64(isNegative ? -seconds : seconds)
  }

  /// Reads `Jn`, `n` or `Mm.w.d`, optionally with `/time`. The default time is 02:00.
  mutating func date() -> RuleDate? {
    guard let form = form() else { return nil }
    guard skip("/") else { return RuleDate(form: form, seconds: 7_200) }
    guard let seconds = time(hoursUpTo: 167) else { return nil }
    return RuleDate(form: form, seconds: seconds)
  }

  private mutating func form() -> RuleDate.Form? {
    if skip("J") {
      guard let day = number(upTo: 365), day >= 1 else { return nil }
      return .dayWithoutLeapDay(day)
    }
    guard skip("M") else { return number(upTo: 365).map { .dayOfYear($0) } }
    guard let month = number(upTo: 12), month >= 1, skip("."), let week = number(upTo: 5),
      week >= 1, skip("."), let weekday = number(upTo: 6)
    else { return nil }
    return .weekday(weekday, week: week, month: month)
  }

  private mutating func number(upTo limit: Int) -> Int? {
    let start = position
    var value = 0
    while let byte = next, byte.isDigit, position - start < 3 {
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
      position += 1
    }
    return position > start && value <= limit ? value : nil
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  fileprivate var isLetter: Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self & ~0x20)
  }
  fileprivate var isSign: Bool { self == UInt8(ascii: "+") || self == UInt8(ascii: "-") }
}
