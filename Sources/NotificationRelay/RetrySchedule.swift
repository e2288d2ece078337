public import CivilTime

/// When a failed delivery is tried again: Standard Webhooks' table.
/// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#deliverability-and-reliability
public struct RetrySchedule: Sendable, Equatable {
  /// How long to wait after the first, second, … failed attempt, in seconds. One more failure, and the event is dead.
  public var delaysSeconds: [Int64]
  /// The longest that a receiver may ask to be left alone, in seconds.
  static let longestRetryAfterSeconds: Int64 = 86_400

  /// 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
  public init(
    delaysSeconds: [Int64] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  ) {
    self.delaysSeconds = delaysSeconds
  }

  /// When to try again after `attempts` failures, nil for never.
  ///
  /// Up to a fifth later than the table says, by `jitter` from 0 to 1, and never before the receiver's `Retry-After`.
  func next(
    after attempts: Int, now: Instant, retryAfterSeconds: Int64?, jitter: Double
  ) -> Instant? {
    guard attempts <= delaysSeconds.count else { return nil }
    let table = Double(delaysSeconds[attempts - 1])
    let asked = min(max(0, retryAfterSeconds ?? 0), Self.longestRetryAfterSeconds)
    return now.adding(milliseconds: max(asked * 1_000, Int64(table * (1 + jitter / 5) * 1_000)))
  }
}

extension Instant {
  /// The instant `milliseconds` later.
  func adding(milliseconds: Int64) -> Instant {
    let sum = Int64(nanoseconds) + milliseconds % 1_000 * 1_000_000
    return Instant(seconds: seconds, nanoseconds: Int32(sum % 1_000_000_000))
      .adding(seconds: milliseconds / 1_000 + sum / 1_000_000_000)
  }
}

/// Keeps a sink that is down from being asked by everybody: after some failures in a row only single probes are let
/// through, ever further apart, until one succeeds.
public struct CircuitBreaker: Sendable, Equatable {
  /// Where the circuit stands.
  public enum State: Sendable, Equatable {
    /// All goes; so many sink-wide failures in a row.
    case closed(failures: Int)
    /// Nothing goes before this instant; then one probe does.
    case open(until: Instant)
    /// One probe is under way.
    case probing

    /// Whether only probes go.
    var isOpen: Bool { if case .closed = self { false } else { true } }
  }

  /// Failures in a row that open the circuit.
  static let failuresToOpen = 5
  private static let firstWaitSeconds: Int64 = 5
  private static let longestWaitSeconds: Int64 = 300

  /// Where it stands.
  public private(set) var state = State.closed(failures: 0)
  private var waitSeconds = Self.firstWaitSeconds

  /// Whether something may be sent at `now`.
  func allows(_ now: Instant) -> Bool {
    switch state {
    case .closed: true
    case .open(let until): until <= now
    case .probing: false
    }
  }

  /// When something may be sent next; nil when nothing stands in the way, or an outcome must come first.
  var opensAt: Instant? {
    if case .open(let until) = state { until } else { nil }
  }

  /// Notes that something is sent, which was allowed.
  mutating func noteSent() { if case .open = state { state = .probing } }

  /// Notes that the receiver took something, or judged it.
  mutating func noteAnswered() {
    // What was sent before the circuit opened says nothing about now, unless it is the good news.
    state = .closed(failures: 0)
    waitSeconds = Self.firstWaitSeconds
  }

  /// Notes that the sink as a whole failed; `isCertain` when one failure is proof enough.
  mutating func noteFailure(
    _ now: Instant, retryAfterSeconds: Int64?, jitter: Double, isCertain: Bool
  ) {
    let asked = min(max(0, retryAfterSeconds ?? 0), RetrySchedule.longestRetryAfterSeconds)
    switch state {
    case .closed(let failures):
      if failures + 1 < Self.failuresToOpen, asked == 0, !isCertain {
        state = .closed(failures: failures + 1)
        return
      }
    case .open(let until):
      // Shipments from before it opened come home.
      state = .open(until: max(until, now.adding(seconds: asked)))
      return
    case .probing: break
    }
    let wait = Int64(Double(waitSeconds) * (1 + jitter / 5) * 1_000)
    state = .open(until: now.adding(milliseconds: max(wait, asked * 1_000)))
    waitSeconds = min(waitSeconds * 2, Self.longestWaitSeconds)
  }

  /// Notes that what was sent never reached the receiver, for reasons of our own.
  mutating func noteNothing(_ now: Instant) { if state == .probing { state = .open(until: now) } }
}
