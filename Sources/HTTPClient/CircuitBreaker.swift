package import CivilTime

/// Stops calls to a server that fails, and resumes them through single probes.
///
/// Open, it refuses all calls for a pause that doubles with each failed probe. Then one call at a time may pass: enough good ones
/// in a row close it, and a bad one opens it again.
package struct CircuitBreaker: Sendable {
  /// What opens a breaker, for how long, and what closes it.
  package struct Policy: Sendable {
    /// The failures that open a breaker.
    package enum Threshold: Sendable {
      /// More than half of the last 64 calls, once at least so many are known.
      case mostCalls(ofAtLeast: Int)
      /// So many calls in a row.
      case inARow(Int)
    }

    /// The failures that open it.
    package var threshold: Threshold
    /// The first pause and the longest, in seconds.
    package var pauseSeconds: ClosedRange<Int64>
    /// The number of good probes in a row that close it.
    package var probesToClose: Int

    package init(
      opensAfter threshold: Threshold, pauseSeconds: ClosedRange<Int64>, probesToClose: Int
    ) {
      self.threshold = threshold
      self.pauseSeconds = pauseSeconds
      self.probesToClose = probesToClose
    }
  }

  /// The state of the breaker.
  package enum State: String, Sendable {
    case closed, open, probing
  }

  /// The decision about a call.
  package enum Admission: Sendable, Equatable {
    case go
    /// The call may be made, alone: its report decides.
    case probe
    case refused
  }

  /// The result of an admitted call.
  package enum Report: Sendable {
    case good
    case bad
    /// It failed in a way that opens the breaker at once, for at least so long.
    case down(seconds: Int64)
    /// It was abandoned without a result.
    case nothing
  }

  private let policy: Policy
  /// The current state.
  package private(set) var state = State.closed
  /// Whether a probe is under way.
  package private(set) var isProbeOut = false
  // One bit per call, the newest lowest: 1 for bad.
  private var history: UInt64 = 0
  private var callCount = 0
  private var openedAt = Instant.earliest
  private var reopensAt = Instant.earliest
  private var pauseSeconds: Int64
  private var goodProbeCount = 0

  /// Creates a closed breaker without history.
  package init(_ policy: Policy) {
    self.policy = policy
    pauseSeconds = policy.pauseSeconds.lowerBound
  }

  /// Returns whether a call would be refused now.
  package func refuses(at now: Instant) -> Bool {
    // A clock that went back must not keep the breaker open: a probe may then decide.
    state != .closed && (isProbeOut || now >= openedAt && now < reopensAt)
  }

  /// When a probe may pass; nil if nothing prevents calls, or the result of a probe must come first.
  package var probesAt: Instant? { state == .closed || isProbeOut ? nil : reopensAt }

  /// Returns whether a call may be made; report every admitted call exactly once.
  @discardableResult
  package mutating func admit(at now: Instant) -> Admission {
    if state == .closed { return .go }
    if refuses(at: now) { return .refused }
    state = .probing
    isProbeOut = true
    (openedAt, reopensAt) = (now, now)
    return .probe
  }

  /// Records the report on a call; `wasProbe` as returned by ``admit(at:)``.
  ///
  /// Calls that were under way when the breaker opened say nothing new, unless they too are reported as probes. A pause is up to
  /// a fifth longer, by `jitter` from 0 to 1.
  package mutating func report(
    _ report: Report, wasProbe: Bool, at now: Instant, jitter: Double = 0
  ) {
    switch (report, state) {
    case (.nothing, .closed): break
    case (.good, .closed): count(bad: 0, at: now, jitter)
    case (.bad, .closed): count(bad: 1, at: now, jitter)
    case (.down(let seconds), .closed): open(at: now, forAtLeast: seconds, jitter)
    case (_, _) where !wasProbe: break
    case (.nothing, _): isProbeOut = false
    case (.good, _):
      isProbeOut = false
      goodProbeCount += 1
      if goodProbeCount == policy.probesToClose { self = CircuitBreaker(policy) }
    case (.bad, _): fail(at: now, forAtLeast: 0, jitter)
    case (.down(let seconds), _): fail(at: now, forAtLeast: seconds, jitter)
    }
  }

  private mutating func count(bad: UInt64, at now: Instant, _ jitter: Double) {
    history = history << 1 | bad
    callCount = min(callCount + 1, UInt64.bitWidth)
    let isTooMuch =
      switch policy.threshold {
      case .mostCalls(let least): callCount >= least && history.nonzeroBitCount * 2 > callCount
      case .inARow(let limit): (~history).trailingZeroBitCount >= limit
      }
    if isTooMuch { open(at: now, forAtLeast: 0, jitter) }
  }

  /// Opens the breaker again after a failed probe; a late report only makes the pause longer.
  private mutating func fail(at now: Instant, forAtLeast seconds: Int64, _ jitter: Double) {
    if isProbeOut { return open(at: now, forAtLeast: seconds, jitter) }
    reopensAt = max(reopensAt, now.adding(seconds: seconds))
  }

  private mutating func open(at now: Instant, forAtLeast seconds: Int64, _ jitter: Double) {
    state = .open
    isProbeOut = false
    openedAt = now
    let pause = max(Double(pauseSeconds) * (1 + jitter / 5), Double(seconds))
    reopensAt = now.adding(nanoseconds: Int64(pause * 1_000) * 1_000_000)
    pauseSeconds = min(pauseSeconds * 2, policy.pauseSeconds.upperBound)
    goodProbeCount = 0
    history = 0
    callCount = 0
  }
}
