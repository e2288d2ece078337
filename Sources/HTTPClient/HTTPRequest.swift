/// One request, with every limit that its answer must keep.
public struct HTTPRequest: Sendable {
  /// What is asked, with the body for a post.
  public enum Method: Sendable {
    case get
    case post([UInt8])
  }

  /// The method and the body.
  public var method: Method
  /// The absolute URL, `http` or `https`, already percent-encoded; sent as it stands.
  public var url: String
  /// Header lines besides those that the transfer itself needs.
  public var headers: [HTTPHeader]
  /// The longest the whole transfer may take, connecting included.
  public var timeoutSeconds: Double
  /// The longest that connecting may take, name look-up and TLS included.
  public var connectTimeoutSeconds: Double
  /// After so long at less than 16 bytes a second the transfer is given up; 0 for never, where the other side may
  /// have to work for a while before it answers.
  public var stallSeconds: Int
  /// The largest body that is taken.
  public var bodyLimitBytes: Int
  /// Whether of a larger body the beginning is taken and the rest is left, instead of failing.
  public var takesBeginning = false
  /// A Unix socket to connect to in place of the URL's host.
  public var unixSocketPath: String?
  /// Whether to open a connection of its own and to close it afterwards.
  ///
  /// libcurl sends a post a second time by itself when a reused connection dies before the first byte of the answer:
  /// set this for posts that must not arrive twice.
  public var usesFreshConnection: Bool

  /// A request; by default a body of 1 MiB, 10 seconds in all, 5 to connect and 20 of stall.
  public init(
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

  /// Whether the URL begins with `http:` or `https:`, letter case ignored. By bytes: this is asked of every request.
  private var hasWebScheme: Bool {
    let scheme = url.utf8.prefix { $0 != UInt8(ascii: ":") }.lazy.map { $0 | 0x20 }
    return scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8)
  }
}
