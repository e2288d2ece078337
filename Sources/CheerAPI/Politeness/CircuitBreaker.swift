public import CivilTime

/// Stops requests while most calls fail, and resumes them through single probes.
///
/// Closed, it counts the last 64 calls and opens when at least 20 are known and more than half failed. Open, it refuses all calls
/// for a pause that doubles with each failed probe, 5 to 60 seconds. Then one call at a time may pass; three good ones in a row
/// close it, and a bad one opens it again.
public struct CircuitBreaker: Sendable {
  /// The state of the breaker.
  public enum State: String, Sendable {
    case closed, open, probing
  }

  /// The decision about a call.
  public enum Admission: Sendable, Equatable {
    case go
    /// The call may be made, alone: its report decides.
    case probe
    case refused
  }

  /// The result of an admitted call.
  public enum Report: Sendable {
    case good
    case bad
    /// It was abandoned without a result.
    case nothing
  }

  private static let leastCalls = 20
  private static let probesToClose = 3
  private static let pauseSeconds: ClosedRange<Int64> = 5...60

  /// The current state.
  public private(set) var state = State.closed
  // One bit per call, the newest lowest: 1 for bad.
  private var history: UInt64 = 0
  private var callCount = 0
  private var openedAt = Instant.earliest
  private var pauseSeconds = Self.pauseSeconds.lowerBound
  private var goodProbeCount = 0
  private var isProbeOut = false

  /// Creates a closed breaker without history.
  public init() {}

  /// Returns whether a call would be refused now.
  public func refuses(at now: Instant) -> Bool {
    switch state {
    case .closed: false
    // A clock that went back must not keep the breaker open: a probe may then decide.
    case .open: now >= openedAt && now < openedAt.adding(seconds: pauseSeconds)
    case .probing: isProbeOut
    }
  }

  /// Returns whether a call may be made; report every admitted call exactly once.
  public mutating func admit(at now: Instant) -> Admission {
    if state == .closed { return .go }
    if refuses(at: now) { return .refused }
    state = .probing
    isProbeOut = true
    return .probe
  }

  /// Records the report on a call; `wasProbe` as returned by ``admit(at:)``.
  public mutating func report(_ report: Report, wasProbe: Bool, at now: Instant) {
    switch (state, wasProbe) {
    case (.closed, false): count(report, at: now)
    case (.probing, true): judgeProbe(report, at: now)
    // Calls that were under way when the breaker opened say nothing new.
    default: break
    }
  }

  private mutating func count(_ report: Report, at now: Instant) {
    if case .nothing = report { return }
    history = history << 1 | (report == .bad ? 1 : 0)
    callCount = min(callCount + 1, UInt64.bitWidth)
    if callCount >= Self.leastCalls, history.nonzeroBitCount * 2 > callCount {
      pauseSeconds = Self.pauseSeconds.lowerBound
      open(at: now)
    }
  }

  private mutating func judgeProbe(_ report: Report, at now: Instant) {
    isProbeOut = false
    switch report {
    case .nothing: break
    case .bad:
      pauseSeconds = min(pauseSeconds * 2, Self.pauseSeconds.upperBound)
      open(at: now)
    case .good:
      goodProbeCount += 1
      if goodProbeCount == Self.probesToClose { self = CircuitBreaker() }
    }
  }

  private mutating func open(at now: Instant) {
    state = .open
    openedAt = now
    goodProbeCount = 0
    history = 0
    callCount = 0
  }
}
