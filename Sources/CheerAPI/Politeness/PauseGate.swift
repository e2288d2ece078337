public import CivilTime
internal import HTTPClient

/// Remembers until when the API asked not to be asked, by `Retry-After`.
///
/// A pause holds for the user whose question was answered with it. When three different users in a row are told to
/// wait, and nobody is answered in between, the whole API is meant: one broken user must not silence the others.
public struct PauseGate: Sendable {
  private var userPauses: [String: Instant] = [:]
  private var sweepAtCount = 1_024
  private var apiPause: Instant?
  private var unanimity = Unanimity()

  /// No pause.
  public init() {}

  /// Notes that the answer to a question about `user` asked for `seconds` of silence.
  public mutating func pause(_ user: String, forSeconds seconds: Int64, at now: Instant) {
    let until = now.adding(seconds: seconds)
    if Self.left(until, at: now) > Self.left(userPauses[user], at: now) { userPauses[user] = until }
    unanimity.note(user)
    if unanimity.isReached { pauseAll(until: until, at: now) }
    if userPauses.count > sweepAtCount {
      userPauses = userPauses.filter { $0.value > now }
      sweepAtCount = max(1_024, userPauses.count * 2)
    }
  }

  /// Notes that somebody else was asked for silence until then, in the name of the whole API.
  public mutating func pauseAll(until: Instant, at now: Instant) {
    if Self.left(until, at: now) > Self.left(apiPause, at: now) { apiPause = until }
  }

  /// Notes that a question was answered without a wish for silence.
  public mutating func noteAnswer() { unanimity.contradict() }

  /// How many seconds are left before questions about `user` may be asked; 0 for none.
  public func secondsLeft(for user: String, at now: Instant) -> Double {
    max(Self.left(apiPause, at: now), Self.left(userPauses[user], at: now))
  }

  /// The end of the pause that holds for everybody, when there is one.
  public func apiPausedUntil(at now: Instant) -> Instant? {
    Self.left(apiPause, at: now) > 0 ? apiPause : nil
  }

  /// No pause is longer than the longest that is believed: more can only be a clock that ran back.
  private static func left(_ until: Instant?, at now: Instant) -> Double {
    guard let until, until > now else { return 0 }
    let left = until.interval(since: now)
    return left <= Double(RetryAfter.capSeconds) ? left : 0
  }
}
