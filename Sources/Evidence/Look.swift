public import CivilTime

/// One poll of a route for one user: when the request was sent, and what came back.
///
/// A failed poll is one too: it says "could not see".
public struct Look: Sendable, Equatable {
  /// The outcome of a poll.
  public enum Outcome: Sendable, Equatable {
    /// The route answered. No activities means "nothing yet". An answer with `refused` entries proves nothing.
    case answered([Activity], refused: [String])
    /// The route reported only a count, nil for "nothing yet". The answer arrived at `by`.
    case counted(Int64?, by: Instant)
    /// The route did not answer, or its answer cannot be believed.
    case failed(FailureCause)

    /// Why the poll failed; nil if it did not.
    public var cause: FailureCause? { if case .failed(let cause) = self { cause } else { nil } }
  }

  /// The route polled.
  public let route: Source
  /// When the answered request was sent. The answer is at least as fresh as this, less the API's lag.
  public let at: Instant
  /// What came back.
  public let outcome: Outcome

  /// Creates a poll.
  public init(route: Source, at: Instant, outcome: Outcome) {
    self.route = route
    self.at = at
    self.outcome = outcome
  }
}
