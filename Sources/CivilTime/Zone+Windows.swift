extension Zone {
  /// Returns the window of the date `day`, from the first instant whose date is `day` or later to the first whose
  /// date is later. Nil if the date does not exist in this zone.
  public func window(of day: Day) -> DayWindow? {
    let start = firstInstant(from: day)
    let end = firstInstant(after: day)
    return start < end ? DayWindow(day: day, start: start, end: end) : nil
  }

  /// Returns the window that contains `instant`. Windows tile time, so there is exactly one.
  public func window(containing instant: Instant) -> DayWindow {
    let seconds = Self.clamped(instant.seconds)
    let segment = segment(containing: seconds)
    let furthest = furthestLocal(through: seconds, in: segment)
    let midnight = furthest.flooredQuotient(dividingBy: 86_400) * 86_400
    return DayWindow(
      day: LocalDateTime(seconds: midnight).day,
      start: Instant(seconds: firstSecond(reaching: midnight, near: segment)),
      end: Instant(seconds: firstSecond(reaching: midnight + 86_400, near: segment)))
  }

  /// Returns the window that begins where `window`, a window of this zone, ends.
  public func nextWindow(after window: DayWindow) -> DayWindow {
    self.window(containing: window.end)
  }

  /// Returns the first instant whose date is `day` or later.
  func firstInstant(from day: Day) -> Instant {
    Instant(seconds: firstSecond(reaching: Int64(day.number) * 86_400))
  }

  /// Returns the first instant whose date is later than `day`.
  func firstInstant(after day: Day) -> Instant {
    Instant(seconds: firstSecond(reaching: (Int64(day.number) + 1) * 86_400))
  }

  /// Returns the first second at which the local time reaches `local`, even if it falls back afterwards.
  func firstSecond(reaching local: Int64) -> Int64 {
    firstSecond(reaching: local, near: segment(containing: local - greatestOffset))
  }

  /// Does the same from `guess`, which may be any stretch but is best the one that contains the result.
  private func firstSecond(reaching local: Int64, near guess: ZoneSegment) -> Int64 {
    let earliest = local - greatestOffset
    var segment = guess.contains(earliest) ? guess : segment(containing: earliest)
    while true {
      let candidate = max(segment.start, local - segment.offset)
      if candidate < segment.end { return candidate }
      segment = self.segment(containing: segment.end)
    }
  }

  /// Returns the latest local time shown up to `seconds`: the inverse of ``firstSecond(reaching:)``.
  func furthestLocal(through seconds: Int64) -> Int64 {
    furthestLocal(through: seconds, in: segment(containing: seconds))
  }

  private func furthestLocal(through seconds: Int64, in current: ZoneSegment) -> Int64 {
    var segment = current
    var furthest = seconds + segment.offset
    while segment.start > furthest - greatestOffset + 1 {
      let last = segment.start - 1
      segment = self.segment(containing: last)
      furthest = max(furthest, last + segment.offset)
    }
    return furthest
  }
}
