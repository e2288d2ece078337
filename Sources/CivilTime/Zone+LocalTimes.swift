extension Zone {
  /// Returns what a wall clock shows at `instant`, truncated to the second.
  public func localDateTime(at instant: Instant) -> LocalDateTime {
    let seconds = Self.clamped(instant.seconds)
    return LocalDateTime(seconds: seconds + segment(containing: seconds).offset)
  }

  /// Resolves when a wall clock shows `local`: once, never, or more than once.
  public func resolve(_ local: LocalDateTime) -> LocalResolution {
    let shown = local.seconds
    var segment = segment(containing: shown - greatestOffset)
    var first: Int64?
    // The end of the last stretch that ends before `local` is shown, and where `local` would lie with its offset.
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

/// The meaning of a local time in a zone.
public enum LocalResolution: Hashable, Sendable {
  /// It happens once.
  case unique(Instant)
  /// It never happens: the clock jumps over it at `after`, the first instant after the gap. With the offset in force
  /// before the gap, it would be the instant `later`.
  case gap(after: Instant, later: Instant)
  /// It happens more than once; these are the first two instants.
  case overlap(first: Instant, second: Instant)
}
