package import CivilTime

/// A client that exchanges one request for one answer. Safe to call from any task.
///
/// Redirects are returned as answers, not followed. A cancelled task gets ``HTTPFailure/cancelled``.
package protocol HTTPSending: Sendable {
  /// Sends `request` once and waits for the complete answer.
  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
  /// Abandons current requests and fails later ones.
  func close()
}

extension HTTPSending {
  /// Does nothing.
  package func close() {}
}

/// A complete answer, whatever its status.
package struct HTTPResponse: Sendable {
  /// The status, such as 200.
  package let status: Int
  /// The header lines.
  package let headers: HTTPHeaders
  /// The body as received, never decompressed.
  package let body: [UInt8]

  /// When the server made the answer, by its own clock and to the second (RFC 9110, 6.6.1); nil if missing.
  package var date: Instant? {
    headers["Date"].flatMap { HTTPDate.parse(Array($0.utf8), now: .earliest) }
  }

  package init(status: Int, headers: HTTPHeaders = HTTPHeaders(lines: []), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
