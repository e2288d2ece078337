internal import Evidence
internal import HTTPClient

extension FailureCause {
  /// Creates the cause for an answer's status; nil for the two that carry content, and for "not modified".
  init?(_ response: HTTPResponse) {
    switch response.status {
    case 200, 204, 304: return nil
    case 401: self = .unauthorized
    case 403: self = .forbidden
    case 404: self = .userUnknown
    case let status where response.isOutage: self = status < 500 ? .throttled : .serverError
    default: self = .badAnswer
    }
  }

  /// Creates the cause for a failed exchange.
  init(_ failure: HTTPFailure) {
    switch failure {
    case .timedOut: self = .timedOut
    case .refusedAddress, .unreachable: self = .unreachable
    case .notHTTP, .tooLarge, .tooManyHeaders, .invalidURL, .invalidHeader: self = .badAnswer
    case .cancelled, .closed: self = .cancelled
    }
  }

  /// Whether the API was unable to serve any user: such a failure is worth another attempt, and the breaker counts it.
  var isOutage: Bool {
    switch self {
    case .timedOut, .unreachable, .throttled, .serverError: true
    case .unauthorized, .noCredential, .noAPIUser, .forbidden, .userUnknown, .badAnswer, .endless,
      .circuitOpen, .retryBudget, .cancelled:
      false
    }
  }
}
