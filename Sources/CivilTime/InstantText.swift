/// A strict parser of instants, for MySQL's `2026-11-20 23:59:59` and RFC 3339's profile of ISO 8601.
///
/// Accepts a date `YYYY-MM-DD` of the years 0001 to 9999, one of `T`, `t` and space, a time `hh:mm:ss` from 00:00:00
/// to 23:59:59, optionally a point with 1 to 18 digits, and optionally `Z`, `z` or an offset `±hh:mm` up to 23:59.
/// ASCII digits only, with nothing before or after. A leap second, 23:59:60 on the last day of a month in UTC (RFC
/// 3339, 5.6 and appendix D), needs an offset and is read as the next second, as in POSIX time. Does not allocate
/// unless it throws.
public enum InstantText {
  /// Parses the instant in `bytes`. Without an offset it is a local time in `naiveZone`.
  public static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, naiveZone: Zone?
  ) throws(InstantTextError) -> ParsedInstant {
    var scanner = InstantScanner(bytes)
    let local = try scanner.localTime()
    let attoseconds = try scanner.fraction()
    let nanoseconds = Int32(truncatingIfNeeded: attoseconds / 1_000_000_000)
    let offset = try scanner.offset()
    guard scanner.isAtEnd else { throw scanner.expected("the end of the text") }
    let seconds: Int64
    var fit = ParsedInstant.Fit.exact
    if let offset {
      seconds = local - offset
    } else {
      guard let naiveZone else { throw .offsetMissing }
      (seconds, fit) = read(local, in: naiveZone)
    }
    if scanner.isLeapSecond, offset == nil || !isMonthsBeginning(seconds) {
      throw .nonexistent(
        column: 12, rule: "only the last second of a month in UTC, with an offset, may be a 60th")
    }
    guard seconds >= Instant.earliest.seconds, seconds <= Instant.latest.seconds else {
      throw .outOfRange
    }
    return ParsedInstant(
      instant: Instant(seconds: seconds, nanoseconds: nanoseconds), fit: fit,
      hasOffset: offset != nil, attoseconds: attoseconds)
  }

  /// Parses the instant in `text`; see ``parse(_:naiveZone:)-(UnsafeBufferPointer<UInt8>,_)``.
  public static func parse(
    _ text: String, naiveZone: Zone? = nil
  ) throws(InstantTextError) -> ParsedInstant {
    var text = text
    let result = text.withUTF8 { bytes in
      Result { () throws(InstantTextError) in try parse(bytes, naiveZone: naiveZone) }
    }
    return try result.get()
  }

  private static func isMonthsBeginning(_ seconds: Int64) -> Bool {
    let utc = LocalDateTime(seconds: seconds)
    return utc.secondOfDay == 0 && utc.day.civil.day == 1
  }

  private static func read(_ local: Int64, in zone: Zone) -> (Int64, ParsedInstant.Fit) {
    switch zone.resolve(LocalDateTime(seconds: local)) {
    case .unique(let instant): (instant.seconds, .exact)
    case .gap(_, let later): (later.seconds, .gap)
    case .overlap(let first, _): (first.seconds, .overlap)
    }
  }
}
