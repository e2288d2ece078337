/// An offset from UTC, and perhaps a yearly period of daylight saving: what the footer of a TZif file says.
///
/// Daylight saving is in force from each year's start to the end that follows it: in the same year, or, where the year
/// begins in it, in the next. Periods may meet or overlap, so that it also may hold all year.
struct POSIXRule {
  /// The yearly period of daylight saving.
  struct Daylight {
    /// Seconds to add to UTC while it is in force.
    let offset: Int64
    /// When it begins, by the clock of standard time.
    let start: RuleDate
    /// When it ends, by its own clock.
    let end: RuleDate
  }

  /// Seconds to add to UTC outside the period.
  let standardOffset: Int64
  /// Nil when there is no such period.
  let daylight: Daylight?

  /// The offsets that occur.
  var offsets: [Int64] { [standardOffset] + (daylight.map { [$0.offset] } ?? []) }

  /// Returns the stretch of constant offset that holds `seconds`. It may be shorter than the longest possible.
  func segment(containing seconds: Int64) -> ZoneSegment {
    guard let daylight else {
      return ZoneSegment(start: .min, end: .max, offset: standardOffset)
    }
    let number = seconds.flooredQuotient(dividingBy: 86_400)
    // Dates reach a week over the ends of their year.
    var year = Day(number: Int32(clamping: number)).civil.year + 1
    var next = start(of: daylight, in: year + 1)
    var start = start(of: daylight, in: year)
    while start > seconds {
      next = start
      year -= 1
      start = self.start(of: daylight, in: year)
    }
    // Periods end in the order in which they begin: no earlier one lasts longer than this.
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
