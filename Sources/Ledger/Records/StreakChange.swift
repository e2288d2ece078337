/// What happened to a streak on a day that does not count.
public enum StreakChange: String, Sendable, CaseIterable {
  case broken
  case held
  case excused
  case repaired
}
