internal import CivilTime
internal import Evidence
internal import HTTPClient

/// One call of the API: a route and a user.
struct CheerCall: Hashable, Sendable {
  /// The requested route.
  enum Route: Hashable, Sendable {
    /// A route for a user's activity.
    case source(Source)
    /// Route 198: a user's cheer coins.
    case coins
    /// Route 100.
    case login
  }

  /// The requested route.
  let route: Route
  /// The user concerned.
  let user: String
}

/// One call of the API: when it was made, and its outcome, which is first the response and then what that says.
struct Exchange<Outcome: Sendable>: Sendable {
  /// When the request was sent or given up.
  let at: Instant
  /// When the answer arrived, or it was clear that none would.
  let answeredAt: Instant
  /// Whether a request was sent at all.
  let wasSent: Bool
  /// The status of the answer, if there was one.
  let status: Int?
  /// The outcome of the call.
  let outcome: Outcome
  /// The delay that the API requested with `Retry-After`.
  let retryAfterSeconds: Int64?

  /// Returns the exchange with another outcome.
  func with<Other>(_ outcome: Other) -> Exchange<Other> {
    Exchange<Other>(
      at: at, answeredAt: answeredAt, wasSent: wasSent, status: status, outcome: outcome,
      retryAfterSeconds: retryAfterSeconds)
  }

  /// Returns the exchange of a call that was not made.
  static func unsent(_ outcome: Outcome, at now: Instant) -> Exchange {
    Exchange(
      at: now, answeredAt: now, wasSent: false, status: nil, outcome: outcome,
      retryAfterSeconds: nil)
  }
}

/// An answer with one of the statuses that carry one, or the reason for its absence.
typealias Response = Result<HTTPResponse, FailureCause>
