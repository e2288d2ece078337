/// A request with all limits on its answer.
package struct HTTPRequest: Sendable {
  /// The method, with the body for a post.
  package enum Method: Sendable {
    case get
    case post([UInt8])
  }

  /// The method and the body.
  package var method: Method
  /// The absolute `http` or `https` URL, already percent-encoded; sent unchanged.
  package var url: String
  /// Header lines in addition to those that the transfer itself needs.
  package var headers: [HTTPHeader]
  /// The time limit for the whole transfer, including connecting.
  package var timeoutSeconds: Double
  /// The time limit for connecting, including name look-up and TLS.
  package var connectTimeoutSeconds: Double
  /// How long a transfer may stay below 16 bytes a second before it is abandoned; 0 for no limit, if the server may need a while
  /// to answer.
  package var stallSeconds: Int
  /// The maximum size of the body.
  package var bodyLimitBytes: Int
  /// Whether to keep the beginning of a larger body instead of failing.
  package var takesBeginning = false
  /// A Unix socket to connect to instead of the URL's host.
  package var unixSocketPath: String?
  /// Whether to open a separate connection and close it afterwards.
  ///
  /// libcurl repeats a post by itself if a reused connection breaks before the first byte of the answer: set this for posts that
  /// must not arrive twice.
  package var usesFreshConnection: Bool

  /// Creates a request; by default with a body of 1 MiB, 10 seconds in all, 5 to connect and 20 of stall.
  package init(
    _ method: Method = .get, url: String, headers: [HTTPHeader] = [], timeoutSeconds: Double = 10,
    connectTimeoutSeconds: Double = 5, stallSeconds: Int = 20, bodyLimitBytes: Int = 1 << 20,
    unixSocketPath: String? = nil, usesFreshConnection: Bool = false
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.timeoutSeconds = timeoutSeconds
    self.connectTimeoutSeconds = connectTimeoutSeconds
    self.stallSeconds = stallSeconds
    self.bodyLimitBytes = bodyLimitBytes
    self.unixSocketPath = unixSocketPath
    self.usesFreshConnection = usesFreshConnection
  }

  /// Why the request cannot be sent at all, or nil.
  var flaw: HTTPFailure? {
    guard hasWebScheme, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return .invalidURL }
    for field in headers where !field.isSendable { return .invalidHeader(field.name) }
    return nil
  }

  /// Whether the URL begins with `http:` or `https:`, ignoring case. Compares bytes, since every request needs this.
  private var hasWebScheme: Bool {
    let scheme = url.utf8.prefix { $0 != UInt8(ascii: ":") }.lazy.map { $0 | 0x20 }
    return scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8)
  }
}
