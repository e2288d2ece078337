import CivilTime
import Scheduling

/// The results of one interval's polls, for a single log line however many users there are.
struct SweepCount: Sendable {
  private let intervalSeconds: Int64
  private var beganAt: Instant?
  private var due = 0
  private var round = Poller.Round()

  init(intervalSeconds: Int64) { self.intervalSeconds = intervalSeconds }

  /// Counts users due at `now`.
  mutating func add(due users: Int, at now: Instant) {
    if users == 0 { return }
    beganAt = beganAt ?? now
    due += users
  }

  /// Counts the results of a visit.
  mutating func add(_ visit: Poller.Round) { round += visit }

  /// Returns the results of an ended interval, once; nil while it lasts, and when no one was due.
  mutating func takeEnded(at now: Instant) -> KeyValuePairs<String, LogValue>? {
    guard let beganAt, now.seconds(since: beganAt) >= intervalSeconds else { return nil }
    let (due, round) = (due, round)
    self = SweepCount(intervalSeconds: intervalSeconds)
    return [
      "due": .number(due), "users": .number(round.users), "polls": .number(round.looks),
      "failed": .number(round.failures.values.reduce(0, +)),
      "grants": .number(round.counts.grants),
      "seconds": .number(Int(clamping: now.seconds(since: beganAt))),
    ]
  }
}
