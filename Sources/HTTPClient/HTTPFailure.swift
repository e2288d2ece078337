package import Failures

/// Why there is no complete answer. Never contains a URL, a header's value or a body.
package enum HTTPFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The answer was incomplete at the deadline, or came too slowly.
  case timedOut
  /// No connection, no trust in the server's certificate, or a broken connection; with libcurl's message.
  case unreachable(String)
  /// The answer is not HTTP; with libcurl's message.
  case notHTTP(String)
  /// The body is larger than the request's limit.
  case tooLarge(limitBytes: Int)
  /// The header lines are too many or too long.
  case tooManyHeaders
  /// The client may not connect to the host's address; with the reason.
  case refusedAddress(String)
  /// The URL is not an absolute `http` or `https` URL.
  case invalidURL
  /// The header of this name cannot be sent as one line.
  case invalidHeader(String)
  /// The caller's task was cancelled.
  case cancelled
  /// The client was closed.
  case closed

  /// The cause on one line.
  package var description: String {
    switch self {
    case .timedOut: "no complete answer in time"
    case .unreachable(let detail): "unreachable: \(detail)"
    case .notHTTP(let detail): "the answer is not HTTP: \(detail)"
    case .tooLarge(let limit): "the body is larger than \(limit) bytes"
    case .tooManyHeaders: "the answer's headers are too many or too long"
    case .refusedAddress(let reason): reason
    case .invalidURL: "the URL is not an absolute http or https URL"
    case .invalidHeader(let name): "the header \(name) cannot be sent as one line"
    case .cancelled: "cancelled"
    case .closed: "the HTTP client is closed"
    }
  }
}

extension HTTPFailure: FailureConvertible {
  /// The requested service is unavailable.
  package var failure: Failure { Failure(.unavailable, description) }
}
