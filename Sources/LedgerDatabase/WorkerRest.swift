public import CivilTime

/// When a worker that could serve nothing of what it got counts among the others again: the longer, the oftener that was so.
/// What it would get meanwhile stays with those who can. Pure.
public struct WorkerRest: Sendable {
  private static let firstSeconds: Int64 = 60
  private static let longestSeconds: Int64 = 3_600

  private var seconds: Int64 = 0
  private var end = Instant.earliest

  /// It has failed at nothing yet.
  public init() {}

  /// Whether it counts at `now`.
  public func isOver(at now: Instant) -> Bool {
    // No rest is longer: that end was reckoned by a clock that was ahead.
    end <= now || end > now.adding(seconds: Self.longestSeconds)
  }

  /// Notes that it could not serve what it got, and serves nothing else.
  public mutating func noteFailure(at now: Instant) {
    guard isOver(at: now) else { return }
    seconds = seconds == 0 ? Self.firstSeconds : min(2 * seconds, Self.longestSeconds)
    end = now.adding(seconds: seconds)
  }

  /// Notes that it serves something, or goes by something else than before.
  public mutating func forget() { self = WorkerRest() }
}
