/// Why a look could not see. The name is recorded with the gap that it leaves.
public enum FailureCause: String, Sendable, CaseIterable {
  /// No complete answer in time.
  case timedOut = "timeout"
  /// No connection, or it broke.
  case unreachable
  /// 408 or 429 after all retries.
  case throttled
  /// 5xx after all retries.
  case serverError = "server error"
  /// 401 after one refresh: the credentials are expired.
  case unauthorized
  /// 403.
  case forbidden
  /// 404: the user is unknown there.
  case userUnknown = "user unknown"
  /// Another status, no JSON, too deep, too large, a field of the wrong shape, or an answer that is not believed.
  case badAnswer = "bad answer"
  /// It showed an activity without an end, from longer ago than the rules believe: what happened since is hidden.
  case endless = "no end"
  /// The circuit breaker is open: nobody was asked.
  case circuitOpen = "circuit open"
  /// The retry budget was used up.
  case retryBudget = "retry budget"
  /// The service was stopping.
  case cancelled
}
