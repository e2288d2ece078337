extension Zone {
  /// What a clock on the wall shows at `instant`; what lies below a second is cut off.
  public func localDateTime(at instant: Instant) -> LocalDateTime {
    let seconds = Self.clamped(instant.seconds)
    return LocalDateTime(seconds: seconds + segment(containing: seconds).offset)
  }

  /// When a clock on the wall shows `local`: once, never, or more than once.
  public func resolve(_ local: LocalDateTime) -> LocalResolution {
    let shown = local.seconds
    var segment = segment(containing: shown - greatestOffset)
    var first: Int64?
    // The end of the last stretch that is over before it shows `local`, and where `local` would lie by its offset.
    var jump = (at: segment.end, later: shown - segment.offset)
    while true {
      let candidate = shown - segment.offset
      if candidate >= segment.end {
        jump = (segment.end, candidate)
      } else if candidate >= segment.start {
        if let first {
          return .overlap(first: Instant(seconds: first), second: Instant(seconds: candidate))
        }
        first = candidate
      }
      if segment.end > shown - leastOffset { break }
      segment = self.segment(containing: segment.end)
    }
    if let first { return .unique(Instant(seconds: first)) }
    return .gap(after: Instant(seconds: jump.at), later: Instant(seconds: jump.later))
  }
}

/// What a local time means in a zone.
public enum LocalResolution: Hashable, Sendable {
  /// It happens once.
  case unique(Instant)
  /// It never happens: the clock jumps over it at `after`, the first instant after the gap. Read with the offset that
  /// was in force before, it is the instant `later`.
  case gap(after: Instant, later: Instant)
  /// It happens more than once: these are the first two times.
  case overlap(first: Instant, second: Instant)
}
