internal import CivilTime
internal import Evidence
internal import HTTPClient

/// One call of the API: what is asked, about whom.
struct CheerCall: Hashable, Sendable {
  /// What is asked.
  enum Route: Hashable, Sendable {
    /// A route that tells what a user did.
    case source(Source)
    /// Route 198: a user's cheer coins.
    case coins
    /// Route 100.
    case login
  }

  /// The route that is asked.
  let route: Route
  /// The user in question.
  let user: String
}

/// What one call came to, before anybody reads the body.
struct Exchange: Sendable {
  /// An answer with one of the statuses that carry one, or why there is none.
  enum Result: Sendable {
    case answered(HTTPResponse)
    case failed(FailureCause)

    /// Why it failed, or nil.
    var cause: FailureCause? {
      if case .failed(let cause) = self { return cause }
      return nil
    }
  }

  /// When the request was sent, or when it was decided not to send it.
  let at: Instant
  /// When the answer was there, or it was clear that none comes.
  let answeredAt: Instant
  /// Whether a request left at all.
  let wasSent: Bool
  /// The status of the answer, when there was one.
  let status: Int?
  /// What came back.
  let result: Result
  /// What the API asked for by `Retry-After`.
  let retryAfterSeconds: Int64?

  /// A call that was not made.
  static func unsent(_ cause: FailureCause, at now: Instant) -> Exchange {
    Exchange(
      at: now, answeredAt: now, wasSent: false, status: nil, result: .failed(cause),
      retryAfterSeconds: nil)
  }
}
