/// Something that exchanges one request for one answer.
///
/// Safe to call from any task. Redirects are answers, not followed. A cancelled task gets ``HTTPFailure/cancelled``.
public protocol HTTPSending: Sendable {
  /// Sends `request` once and waits for the complete answer.
  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
}
