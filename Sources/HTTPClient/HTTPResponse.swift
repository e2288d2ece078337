/// A complete answer, whatever its status.
public struct HTTPResponse: Sendable {
  /// The status, as 200.
  public let status: Int
  /// The header lines.
  public let headers: HTTPHeaders
  /// The body as it came: nothing is decompressed.
  public let body: [UInt8]

  /// An answer.
  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(lines: []), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
