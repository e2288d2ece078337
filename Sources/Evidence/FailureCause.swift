/// Why a poll failed. The gap it leaves is recorded with this name.
public enum FailureCause: String, Error, CaseIterable {
  /// No complete answer in time.
  case timedOut = "timeout"
  /// No connection, or a broken one.
  case unreachable
  /// 408 or 429 after all retries.
  case throttled
  /// 5xx after all retries.
  case serverError = "server error"
  /// 401 even after a refresh: the credentials have expired.
  case unauthorized
  /// The credentials file has no line for the user, so no request was made.
  case noCredential = "no credential"
  /// The ledger knows the user by a pseudonym, and the roster gives no id of the API's, so no request was made.
  case noAPIUser = "no API user"
  /// 403.
  case forbidden
  /// 404: the API does not know the user.
  case userUnknown = "user unknown"
  /// Another status, not JSON, too deep, too large, a field of the wrong shape, or an answer that is not believed.
  case badAnswer = "bad answer"
  /// An activity open for longer than the rules believe, which hides what happened since.
  case endless = "no end"
  /// The circuit breaker is open, so no request was made.
  case circuitOpen = "circuit open"
  /// The retry budget was exhausted.
  case retryBudget = "retry budget"
  /// The service was stopping.
  case cancelled

  /// The causes that concern single users: no outage has them, and no later poll mends them.
  public static let ofSingleUsers: Set<FailureCause> = [
    .unauthorized, .noCredential, .noAPIUser, .forbidden, .userUnknown,
  ]
}
