public import CivilTime

/// A part of a day's window for which there is no evidence either way, with its kind and cause.
public struct Gap: Hashable, Sendable {
  /// The kind of activity that may have happened unseen.
  public let kind: ActivityKind
  /// The first uncovered instant.
  public let from: Instant
  /// The first instant after the gap.
  public let to: Instant
  /// The cause as the ledger names it: a ``FailureCause``, ``notPolled``, or why the user was not in the roster.
  public let cause: String

  /// Creates a gap.
  public init(kind: ActivityKind, from: Instant, to: Instant, cause: String) {
    self.kind = kind
    self.from = from
    self.to = to
    self.cause = cause
  }
}

extension Gap {
  /// The ledger's name for the cause of a gap in which no poll was made, or the inbox was not complete.
  public static let notPolled = "not looked"
  /// The cause where the user was not in the roster yet, before their first import.
  public static let notKnownYet = "user not known yet"

  /// Why there is no evidence, for people.
  public var reason: String {
    let polled = Source.routes.contains { $0.polledKind == kind }
    return cause == Self.notPolled && !polled ? "inbox not complete" : Self.reason(for: cause)
  }

  /// Returns a cause of the ledger in words for people.
  public static func reason(for cause: String) -> String {
    if cause == notPolled { return "not polled" }
    return FailureCause(rawValue: cause)?.reason ?? cause
  }
}

extension FailureCause {
  /// The cause in words for people.
  public var reason: String {
    switch self {
    case .timedOut: "API did not answer in time"
    case .unreachable: "API unreachable"
    case .throttled: "API asked for fewer requests"
    case .serverError: "API answered with an error"
    case .unauthorized: "API refused the credentials"
    case .noCredential: "no credential: the file has no line for this user"
    case .noAPIUser: "no apiUser: the roster has none for this pseudonym"
    case .forbidden: "API denied access"
    case .userUnknown: "API does not know the user"
    case .badAnswer: "API answer unusable"
    case .endless: "an activity without an end hides later ones"
    case .circuitOpen: "API down, not polled"
    case .retryBudget: "API failing, not tried again"
    case .cancelled: "service was stopping"
    }
  }
}
