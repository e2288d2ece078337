public import CivilTime

/// One look at one source for one user: when the request was sent, and what came back.
///
/// A failed look is a look too: it says "could not see".
public struct Look: Sendable, Equatable {
  /// When the answered request was sent. The answer is at least as fresh as this, less the API's lag.
  public let at: Instant
  /// What came back.
  public let outcome: LookOutcome

  /// Creates a look.
  public init(at: Instant, outcome: LookOutcome) {
    self.at = at
    self.outcome = outcome
  }
}

/// The outcome of a look.
public enum LookOutcome: Sendable, Equatable {
  /// The source answered. No activities means "nothing yet". An answer with `refused` entries proves nothing.
  case answered([Activity], refused: [String])
  /// The route reported only a count, nil for "nothing yet". The answer arrived at `by`.
  case counted(Int64?, by: Instant)
  /// The source did not answer, or its answer cannot be believed.
  case failed(FailureCause)
}
