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

/// The result of one call, before its body is read.
struct Exchange: Sendable {
  /// An answer with one of the statuses that carry one, or the reason for its absence.
  enum Result: Sendable {
    case answered(HTTPResponse)
    case failed(FailureCause)

    /// Why it failed, or nil.
    var cause: FailureCause? {
      if case .failed(let cause) = self { return cause }
      return nil
    }
  }

  /// When the request was sent, or it was decided not to send it.
  let at: Instant
  /// When the answer arrived, or it was clear that none would.
  let answeredAt: Instant
  /// Whether a request was sent at all.
  let wasSent: Bool
  /// The status of the answer, if there was one.
  let status: Int?
  /// The answer or the cause of the failure.
  let result: Result
  /// The delay that the API requested with `Retry-After`.
  let retryAfterSeconds: Int64?

  /// Returns the exchange of a call that was not made.
  static func unsent(_ cause: FailureCause, at now: Instant) -> Exchange {
    Exchange(
      at: now, answeredAt: now, wasSent: false, status: nil, result: .failed(cause),
      retryAfterSeconds: nil)
  }
}
