import CivilTime
import Scheduling

/// What the looks of one interval came to, for a line of the log however many users there are.
struct SweepCount: Sendable {
  private let intervalSeconds: Int64
  private var beganAt: Instant?
  private var due = 0
  private var round = Poller.Round()

  init(intervalSeconds: Int64) { self.intervalSeconds = intervalSeconds }

  /// Counts users whose time had come at `now`.
  mutating func add(due users: Int, at now: Instant) {
    if users == 0 { return }
    beganAt = beganAt ?? now
    due += users
  }

  /// Counts what looking at users brought.
  mutating func add(_ visit: Poller.Round) { round += visit }

  /// What the interval that has ended came to, once; nil while it lasts, and while nobody was due.
  mutating func takeEnded(at now: Instant) -> KeyValuePairs<String, LogValue>? {
    guard let beganAt, now.seconds(since: beganAt) >= intervalSeconds else { return nil }
    let (due, round) = (due, round)
    self = SweepCount(intervalSeconds: intervalSeconds)
    return [
      "due": .number(due), "users": .number(round.users), "looks": .number(round.looks),
      "failed": .number(round.failures.values.reduce(0, +)),
      "grants": .number(round.counts.grants),
      "seconds": .number(Int(clamping: now.seconds(since: beganAt))),
    ]
  }
}
