import CivilTime
import Scheduling

/// The first polls of the users whom a service finds at its start, for one log line when they begin and one when all are done.
struct FirstPolls: Sendable {
  private let beganAt: Instant
  private let users: Int
  /// Whether each user, by index, is still to be polled.
  private var isWaiting: [Bool]
  private var left: Int
  private var failed = 0

  /// Begins with these users, by account index.
  init(_ users: some Collection<Int>, at now: Instant) {
    beganAt = now
    self.users = users.count
    left = users.count
    isWaiting = Array(repeating: false, count: (users.max() ?? -1) + 1)
    for user in users { isWaiting[user] = true }
  }

  /// Counts a user's poll; returns the results once every user has been polled.
  mutating func add(
    _ user: Int, _ round: Poller.Round, at now: Instant
  ) -> KeyValuePairs<String, LogValue>? {
    guard user < isWaiting.count, isWaiting[user] else { return nil }
    isWaiting[user] = false
    left -= 1
    if !round.failures.isEmpty { failed += 1 }
    guard left == 0 else { return nil }
    return [
      "users": .number(users), "failed": .number(failed),
      "seconds": .number(Int(clamping: now.seconds(since: beganAt))),
    ]
  }
}
