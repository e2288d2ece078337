public import CivilTime

/// Something that exchanges one request for one answer.
///
/// Safe to call from any task. Redirects are answers, not followed. A cancelled task gets ``HTTPFailure/cancelled``.
public protocol HTTPSending: Sendable {
  /// Sends `request` once and waits for the complete answer.
  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
  /// Gives up what is under way and what is sent later.
  func close()
}

extension HTTPSending {
  /// Nothing.
  public func close() {}
}

/// A complete answer, whatever its status.
public struct HTTPResponse: Sendable {
  /// The status, as 200.
  public let status: Int
  /// The header lines.
  public let headers: HTTPHeaders
  /// The body as it came: nothing is decompressed.
  public let body: [UInt8]

  /// When the answer was made by its maker's clock, to the second (RFC 9110, 6.6.1); nil where it does not say.
  public var date: Instant? {
    headers["Date"].flatMap { HTTPDate.parse(Array($0.utf8), now: .earliest) }
  }

  /// An answer.
  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(lines: []), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
