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
