package import CivilTime
internal import HTTPClient

/// The pauses that the API has requested with `Retry-After`.
///
/// A pause holds for the user whose request was answered with it. If three different users in a row are told to wait,
/// with no normal answer in between, the whole API is meant: one broken user must not silence the others.
package struct PauseGate: Sendable {
  private var userPauses: [String: Instant] = [:]
  private var sweepAtCount = 1_024
  private var apiPause: Instant?
  private var unanimity = Unanimity()

  /// Creates a gate without pauses.
  package init() {}

  /// Records that the answer to a request about `user` demanded a pause of `seconds`.
  package mutating func pause(_ user: String, forSeconds seconds: Int64, at now: Instant) {
    let until = now.adding(seconds: seconds)
    if Self.left(until, at: now) > Self.left(userPauses[user], at: now) { userPauses[user] = until }
    unanimity.note(user)
    if unanimity.isReached { pauseAll(until: until, at: now) }
    if userPauses.count > sweepAtCount {
      userPauses = userPauses.filter { $0.value > now }
      sweepAtCount = max(1_024, userPauses.count * 2)
    }
  }

  /// Admits nothing before `until`, because the API asked another process to pause.
  package mutating func pauseAll(until: Instant, at now: Instant) {
    if Self.left(until, at: now) > Self.left(apiPause, at: now) { apiPause = until }
  }

  /// Records an answer that demanded no pause.
  package mutating func noteAnswer() { unanimity.contradict() }

  /// Returns how many seconds remain before requests about `user` are allowed; 0 for none.
  package func secondsLeft(for user: String, at now: Instant) -> Double {
    max(Self.left(apiPause, at: now), Self.left(userPauses[user], at: now))
  }

  /// Returns the end of the pause for all users, if there is one.
  package func apiPausedUntil(at now: Instant) -> Instant? {
    Self.left(apiPause, at: now) > 0 ? apiPause : nil
  }

  /// Returns the seconds left. No pause is longer than the accepted maximum: anything longer means that the clock went
  /// back.
  private static func left(_ until: Instant?, at now: Instant) -> Double {
    guard let until, until > now else { return 0 }
    let left = until.interval(since: now)
    return left <= Double(RetryAfter.capSeconds) ? left : 0
  }
}
