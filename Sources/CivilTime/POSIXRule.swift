/// An offset from UTC, and perhaps a yearly period of daylight saving: what the footer of a TZif file says.
///
/// Daylight saving is in force from each year's start to the end that follows it: in the same year, or, where the year
/// begins in it, in the next. Periods that meet or overlap are one, so that it may also hold all year.
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

  /// The stretch of constant offset that holds `seconds`. It may be shorter than the longest possible.
  func segment(containing seconds: Int64) -> ZoneSegment {
    guard let daylight else {
      return ZoneSegment(start: .min, end: .max, offset: standardOffset)
    }
    let number = seconds.flooredQuotient(dividingBy: 86_400)
    let year = Day(number: Int32(clamping: number)).civil.year
    // Dates reach a week over their year's ends, and a period may last into the next year: two years on either side.
    var period = self.period(of: daylight, beginningIn: year - 2)
    for later in (year - 1)...(year + 2) {
      let next = self.period(of: daylight, beginningIn: later)
      if next.start <= period.end {
        period.end = max(period.end, next.end)
        continue
      }
      if seconds < period.end { break }
      if seconds < next.start {
        return ZoneSegment(start: period.end, end: next.start, offset: standardOffset)
      }
      period = next
    }
    return ZoneSegment(start: period.start, end: period.end, offset: daylight.offset)
  }

  private func period(
    of daylight: Daylight, beginningIn year: Int
  ) -> (start: Int64, end: Int64) {
    let start = daylight.start.localSeconds(in: year) - standardOffset
    var end = daylight.end.localSeconds(in: year) - daylight.offset
    if end <= start { end = daylight.end.localSeconds(in: year + 1) - daylight.offset }
    return (start, max(start, end))
  }
}
