public import Failures

/// A parser of cron expressions: five fields or a nickname.
struct ScheduleParser {
  private static let nicknames = [
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
  ]
  private static let longestExpression = 512

  private let expression: String
  /// The expression in lower case; every byte keeps its place.
  private let text: [UInt8]

  init(_ expression: String) {
    self.expression = expression
    text = expression.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }

  /// Returns what the fields match, and whether the schedule follows elapsed time.
  func parse() throws(ScheduleError) -> (matcher: ScheduleMatcher, followsElapsedTime: Bool) {
    guard text.count <= Self.longestExpression else {
      throw error("longer than \(Self.longestExpression) bytes", "write five short fields")
    }
    if text.first == UInt8(ascii: "@") {
      guard let fields = Self.nicknames[String(decoding: text, as: UTF8.self)] else {
        let known = Self.nicknames.keys.sorted().joined(separator: " ")
        throw error("an unknown nickname", "use one of \(known), or five fields")
      }
      return try ScheduleParser(fields).parse()
    }
    let fields = try splitFields()
    var bits: [UInt64] = []
    for (field, range) in zip(ScheduleField.allCases, fields) {
      bits.append(try parseField(field, range))
    }
    let beginsWithStar = fields.map { text[$0.lowerBound] == UInt8(ascii: "*") }
    let matcher = ScheduleMatcher(
      bits: bits,
      isEitherDayEnough: !beginsWithStar[ScheduleField.dayOfMonth.rawValue]
        && !beginsWithStar[ScheduleField.weekday.rawValue])
    guard matcher.hasDays else {
      throw error(
        "no month has such a day", "choose a day that one of the months has", .dayOfMonth,
        fields[ScheduleField.dayOfMonth.rawValue])
    }
    let followsElapsedTime =
      beginsWithStar[ScheduleField.minute.rawValue] || beginsWithStar[ScheduleField.hour.rawValue]
    return (matcher, followsElapsedTime)
  }

  private func splitFields() throws(ScheduleError) -> [Range<Int>] {
    let blanks: [UInt8] = [0x20, 0x09]
    let fields = text.split { blanks.contains($0) }.map(\.indices)
    let order = "minute, hour, day of month, month, weekday"
    guard fields.count >= 5 else {
      let count = fields.count == 1 ? "1 field" : "\(fields.count) fields"
      throw error("\(count) instead of 5", "write \(order)")
    }
    guard fields.count == 5 else {
      let extra = fields[5].lowerBound..<fields[fields.count - 1].upperBound
      throw error("\(fields.count) fields instead of 5", "write only \(order)", nil, extra)
    }
    return fields
  }

  private func parseField(_ field: ScheduleField, _ range: Range<Int>) throws(ScheduleError)
    -> UInt64
  {
    var bits: UInt64 = 0
    for term in split(range, at: ",") { bits |= try parseTerm(field, term) }
    return bits
  }

  /// Parses `*`, `n` or `n-m`, optionally with a step.
  private func parseTerm(_ field: ScheduleField, _ range: Range<Int>) throws(ScheduleError)
    -> UInt64
  {
    let parts = split(range, at: "/")
    guard parts.count <= 2 else { throw error("two steps", "write one /", field, range) }
    let step = parts.count == 2 ? try parseStep(field, parts[1]) : 1
    var numbers: ClosedRange<Int>
    if text[parts[0]].elementsEqual("*".utf8) {
      numbers = field.range
    } else {
      let ends = split(parts[0], at: "-")
      guard ends.count <= 2 else { throw error("two ranges", "write one -", field, parts[0]) }
      let first = try parseNumber(field, ends[0])
      let openEnd = parts.count == 2 ? field.range.upperBound : first
      let last = ends.count == 2 ? try parseNumber(field, ends[1]) : openEnd
      guard first <= last else {
        throw error(
          "a range that ends before it begins", "write \(reversedRemedy(field, first, last))",
          field, parts[0])
      }
      numbers = first...last
    }
    return stride(from: numbers.lowerBound, through: numbers.upperBound, by: step)
      .reduce(0) { $0 | 1 << UInt64($1) }
  }

  private func reversedRemedy(_ field: ScheduleField, _ first: Int, _ last: Int) -> String {
    if field == .weekday, last == 0 { return "\(first)-7, where 7 is Sunday" }
    return
      "\(first)-\(field.range.upperBound),\(field.range.lowerBound)-\(last) or \(last)-\(first)"
  }

  private func parseStep(_ field: ScheduleField, _ range: Range<Int>) throws(ScheduleError) -> Int {
    guard let step = digits(range), step > 0 else {
      throw error("not a step", "write a number from 1 on after the /", field, range)
    }
    return step
  }

  private func parseNumber(_ field: ScheduleField, _ range: Range<Int>) throws(ScheduleError)
    -> Int
  {
    if let index = field.names.firstIndex(where: { text[range].elementsEqual($0.utf8) }) {
      return index + field.firstNamed
    }
    let names = field.names.isEmpty ? "" : " or a name from \(field.names[0]) on"
    let remedy = "write \(field.range.lowerBound) to \(field.range.upperBound)\(names)"
    guard let number = digits(range) else {
      throw error(
        range.isEmpty ? "nothing where a number is needed" : "not a number", remedy, field, range)
    }
    guard field.range.contains(number) else {
      throw error("\(number) is out of range", remedy, field, range)
    }
    return number
  }

  /// Returns the number in one to four ASCII digits.
  private func digits(_ range: Range<Int>) -> Int? {
    guard (1...4).contains(range.count) else { return nil }
    var value = 0
    for byte in text[range] {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }

  private func split(_ range: Range<Int>, at separator: Unicode.Scalar) -> [Range<Int>] {
    text[range].split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
      .map(\.indices)
  }

  private func error(
    _ cause: String, _ remedy: String, _ field: ScheduleField? = nil, _ range: Range<Int>? = nil
  ) -> ScheduleError {
    // For an empty place, shows the column where something is missing.
    let columns = range.map { $0.lowerBound + 1...max($0.upperBound, $0.lowerBound + 1) }
    return ScheduleError(
      expression: expression, field: field, columns: columns, cause: cause, remedy: remedy)
  }
}

/// The reason why an expression is not a schedule: place, cause and remedy.
public struct ScheduleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The expression.
  public let expression: String
  /// The faulty field; nil if the expression as a whole is at fault.
  public let field: ScheduleField?
  /// The faulty columns, in bytes counted from 1; nil if the whole expression is at fault.
  public let columns: ClosedRange<Int>?
  /// What is wrong.
  public let cause: String
  /// What to write instead.
  public let remedy: String

  /// The whole error on one line.
  public var description: String {
    var place = field.map { ", \($0.name)" } ?? ""
    if let columns {
      place +=
        columns.count == 1
        ? ", column \(columns.lowerBound)" : ", columns \(columns.lowerBound)–\(columns.upperBound)"
    }
    return "schedule \"\(expression)\"\(place): \(cause); \(remedy)"
  }
}

extension ScheduleError: FailureConvertible {
  /// The error as a bad-data failure.
  public var failure: Failure { Failure(.badData, description) }
}
