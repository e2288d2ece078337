internal import CivilTime

/// Parses the times of allowed_signers: `YYYYMMDD[HHMM[SS]][Z]`.
struct SignerTime {
  let naiveZone: Zone?
  let option: String
  let line: Int

  /// Parses a time. A local time that occurs twice or never is read as the instant that keeps the key valid for less.
  func parse(_ text: [UInt8], laterOfTwo: Bool) throws(SignerLineProblem) -> Instant {
    let isUTC = text.last == UInt8(ascii: "Z")
    guard let local = Self.local(isUTC ? text.dropLast() : text[...]) else {
      throw SignerLineProblem(
        line: line,
        cause: "\(option) is \(String(decoding: text, as: UTF8.self).shown), which is not a time",
        remedy: "write YYYYMMDDZ, YYYYMMDDHHMMZ or YYYYMMDDHHMMSSZ")
    }
    if isUTC {
      return Instant(seconds: Int64(local.day.number) * 86_400 + Int64(local.secondOfDay))
    }
    guard let naiveZone else {
      throw SignerLineProblem(
        line: line, cause: "\(option) has no time zone", remedy: "add a Z for UTC")
    }
    return switch naiveZone.resolve(local) {
    case .unique(let instant): instant
    case .gap(let after, let later): laterOfTwo ? later : after
    case .overlap(let first, let second): laterOfTwo ? second : first
    }
  }

  /// Parses 8, 12 or 14 digits that name a time; nil for anything else.
  private static func local(_ digits: ArraySlice<UInt8>) -> LocalDateTime? {
    guard [8, 12, 14].contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let values = digits.map { Int($0 - 0x30) } + [Int](repeating: 0, count: 14 - digits.count)
    let pairs = stride(from: 0, to: 14, by: 2).map { values[$0] * 10 + values[$0 + 1] }
    guard let day = Day(year: pairs[0] * 100 + pairs[1], month: pairs[2], day: pairs[3]),
      pairs[4] < 24, pairs[5] < 60, pairs[6] < 60
    else { return nil }
    return LocalDateTime(
      day: day, secondOfDay: Int32(pairs[4] * 3_600 + pairs[5] * 60 + pairs[6]))
  }
}
