public import CivilTime

/// One look at one source for one user: when the question was asked, and what came back.
///
/// A failed look is a look too: it says "could not see".
public struct Look: Sendable, Equatable {
  /// When the request that was answered was sent; the answer is at least as fresh as this, less the API's lag.
  public let at: Instant
  /// What came back.
  public let outcome: LookOutcome

  /// A look.
  public init(at: Instant, outcome: LookOutcome) {
    self.at = at
    self.outcome = outcome
  }
}

/// What a look brought.
public enum LookOutcome: Sendable, Equatable {
  /// The source answered. No activities means "nothing yet". An answer with `refused` entries proves nothing.
  case answered([Activity], refused: [String])
  /// The route tells only a number, nil for "nothing yet"; the answer was there at the instant `by`.
  case counted(Int64?, by: Instant)
  /// The source did not answer, or with something that must not be believed.
  case failed(FailureCause)
}
