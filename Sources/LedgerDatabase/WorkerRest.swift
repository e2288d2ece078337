package import CivilTime

/// How long a worker that could serve none of its shards stays out of the count: longer with every repetition. Pure.
///
/// Meanwhile its share stays with workers that can serve it.
package struct WorkerRest: Sendable {
  private static let firstSeconds: Int64 = 60
  private static let longestSeconds: Int64 = 3_600

  private var seconds: Int64 = 0
  private var end = Instant.earliest

  /// Creates a rest that has seen no failure.
  package init() {}

  /// Returns whether the worker counts at `now`.
  package func isOver(at now: Instant) -> Bool {
    // No rest is longer: such an end was computed by a clock that was ahead.
    end <= now || end > now.adding(seconds: Self.longestSeconds)
  }

  /// Records that the worker could serve none of its shards.
  package mutating func recordFailure(at now: Instant) {
    guard isOver(at: now) else { return }
    seconds = seconds == 0 ? Self.firstSeconds : min(2 * seconds, Self.longestSeconds)
    end = now.adding(seconds: seconds)
  }

  /// Ends the rest, because the worker serves a shard, or its inputs have changed.
  package mutating func forget() { self = WorkerRest() }
}
