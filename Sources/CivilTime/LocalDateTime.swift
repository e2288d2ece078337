/// A date and a time of day as shown by a wall clock, to the second, without a zone.
public struct LocalDateTime: Hashable, Sendable {
  /// The date.
  public let day: Day
  /// Seconds after 00:00:00 of that date, 0 to 86,399.
  public let secondOfDay: Int32

  /// Creates the local time `secondOfDay` (0 to 86,399) seconds after the start of `day`.
  @inlinable
  public init(day: Day, secondOfDay: Int32) {
    self.day = day
    self.secondOfDay = secondOfDay
  }

  /// Seconds since 1970-01-01T00:00:00 on a clock that never changes.
  var seconds: Int64 { Int64(day.number) * 86_400 + Int64(secondOfDay) }

  /// Creates the local time this many seconds after 1970-01-01T00:00:00 on a clock that never changes, such as UTC.
  public init(seconds: Int64) {
    let number = seconds.flooredQuotient(dividingBy: 86_400)
    day = Day(number: Int32(clamping: number))
    secondOfDay = Int32(seconds - number * 86_400)
  }
}

extension LocalDateTime: Comparable {
  /// Orders local times by date and time of day.
  public static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
    (left.day, left.secondOfDay) < (right.day, right.secondOfDay)
  }
}

extension LocalDateTime: LosslessStringConvertible {
  /// The local time as `2026-11-20T00:30`, with `:ss` only if the seconds are not 0.
  public var description: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(19)
    day.append(to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    InstantFormat.append(secondOfDay: Int(secondOfDay), to: &bytes)
    if secondOfDay % 60 == 0 { bytes.removeLast(3) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Parses a local time written exactly as in ``description``; nil for anything else.
  public init?(_ text: String) {
    guard let separator = text.firstIndex(of: "T"), let day = Day(String(text[..<separator]))
    else { return nil }
    let fields = text[text.index(after: separator)...].split(
      separator: ":", omittingEmptySubsequences: false)
    let numbers = fields.compactMap { UInt8($0) }
    guard (2...3).contains(fields.count), numbers.count == fields.count, numbers[0] < 24,
      numbers.dropFirst().allSatisfy({ $0 < 60 })
    else { return nil }
    let second = numbers.count == 3 ? Int32(numbers[2]) : 0
    self.init(
      day: day, secondOfDay: Int32(numbers[0]) * 3_600 + Int32(numbers[1]) * 60 + second)
    if description != text { return nil }
  }
}
