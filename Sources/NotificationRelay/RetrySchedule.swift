public import CivilTime

/// The schedule of retries for failed deliveries, from Standard Webhooks.
/// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#deliverability-and-reliability
public struct RetrySchedule: Sendable, Equatable {
  /// How long to wait after the first, second, … failed attempt, in seconds. After one more failure, the event is dead.
  public var delaysSeconds: [Int64]
  /// The longest pause that a receiver may request, in seconds.
  static let longestRetryAfterSeconds: Int64 = 86_400

  /// Creates a schedule; by default 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
  public init(
    delaysSeconds: [Int64] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  ) {
    self.delaysSeconds = delaysSeconds
  }

  /// Returns when to try again after `attempts` failures; nil for never.
  ///
  /// That is up to a fifth later than in the table, by `jitter` from 0 to 1, and never before the receiver's `Retry-After`.
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
  /// Returns the instant `milliseconds` later.
  func adding(milliseconds: Int64) -> Instant {
    let sum = Int64(nanoseconds) + milliseconds % 1_000 * 1_000_000
    return Instant(seconds: seconds, nanoseconds: Int32(sum % 1_000_000_000))
      .adding(seconds: milliseconds / 1_000 + sum / 1_000_000_000)
  }
}

/// Protects a failing sink from too many attempts: after some failures in a row it allows only single probes, at growing
/// intervals, until one succeeds.
public struct SinkBreaker: Sendable, Equatable {
  /// The state of the circuit.
  public enum State: Sendable, Equatable {
    /// Everything may be sent; `failures` sink-wide failures in a row so far.
    case closed(failures: Int)
    /// Nothing may be sent before this instant; then one probe may.
    case open(until: Instant)
    /// One probe is under way.
    case probing

    /// Whether only probes are allowed.
    var isOpen: Bool { if case .closed = self { false } else { true } }
  }

  /// The failures in a row that open the circuit.
  static let failuresToOpen = 5
  private static let firstWaitSeconds: Int64 = 5
  private static let longestWaitSeconds: Int64 = 300

  /// The state of the circuit.
  public private(set) var state = State.closed(failures: 0)
  private var waitSeconds = Self.firstWaitSeconds

  /// Returns whether something may be sent at `now`.
  func allows(_ now: Instant) -> Bool {
    switch state {
    case .closed: true
    case .open(let until): until <= now
    case .probing: false
    }
  }

  /// When something may be sent next; nil if nothing prevents it, or an outcome must come first.
  var opensAt: Instant? {
    if case .open(let until) = state { until } else { nil }
  }

  /// Records that something allowed is being sent.
  mutating func recordSent() { if case .open = state { state = .probing } }

  /// Records that the receiver accepted or refused something.
  mutating func recordSuccess() {
    // A shipment sent before the circuit opened says nothing about the present, unless it succeeded.
    state = .closed(failures: 0)
    waitSeconds = Self.firstWaitSeconds
  }

  /// Records that the sink as a whole failed; `isCertain` if one failure is proof enough.
  mutating func recordFailure(
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
      // Shipments from before the circuit opened are returning.
      state = .open(until: max(until, now.adding(seconds: asked)))
      return
    case .probing: break
    }
    let wait = Int64(Double(waitSeconds) * (1 + jitter / 5) * 1_000)
    state = .open(until: now.adding(milliseconds: max(wait, asked * 1_000)))
    waitSeconds = min(waitSeconds * 2, Self.longestWaitSeconds)
  }

  /// Records that what was sent never reached the receiver, for reasons of our own.
  mutating func recordAbandoned(_ now: Instant) {
    if state == .probing { state = .open(until: now) }
  }
}
