/// An offset from UTC with an optional yearly period of daylight saving, as in the footer of a TZif file.
///
/// Daylight saving runs from each year's start to the next end: in the same year, or in the following year if it
/// spans New Year. Periods may meet or overlap, so daylight saving may also last all year.
struct POSIXRule {
  /// The yearly period of daylight saving.
  struct Daylight {
    /// Seconds to add to UTC during the period.
    let offset: Int64
    /// The start of the period, in standard time.
    let start: RuleDate
    /// The end of the period, in daylight saving time.
    let end: RuleDate
  }

  /// Seconds to add to UTC outside the period.
  let standardOffset: Int64
  /// The yearly period; nil if there is none.
  let daylight: Daylight?

  /// All offsets the rule uses.
  var offsets: [Int64] { [standardOffset] + (daylight.map { [$0.offset] } ?? []) }

  /// Returns a stretch of constant offset that contains `seconds`. It may be shorter than the longest possible one.
  func segment(containing seconds: Int64) -> ZoneSegment {
    guard let daylight else {
      return ZoneSegment(start: .min, end: .max, offset: standardOffset)
    }
    let number = seconds.flooredQuotient(dividingBy: 86_400)
    // Dates may lie up to a week outside their year.
    var year = Day(number: Int32(clamping: number)).civil.year + 1
    var next = start(of: daylight, in: year + 1)
    var start = start(of: daylight, in: year)
    while start > seconds {
      next = start
      year -= 1
      start = self.start(of: daylight, in: year)
    }
    // Periods end in the order in which they begin, so no earlier one lasts longer than this one.
    let end = end(of: daylight, begunIn: year, at: start)
    return seconds < end
      ? ZoneSegment(start: start, end: end, offset: daylight.offset)
      : ZoneSegment(start: end, end: next, offset: standardOffset)
  }

  private func start(of daylight: Daylight, in year: Int) -> Int64 {
    daylight.start.localSeconds(in: year) - standardOffset
  }

  private func end(of daylight: Daylight, begunIn year: Int, at start: Int64) -> Int64 {
    let end = daylight.end.localSeconds(in: year) - daylight.offset
    return end > start ? end : daylight.end.localSeconds(in: year + 1) - daylight.offset
  }
}
