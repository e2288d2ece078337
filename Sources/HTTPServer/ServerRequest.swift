/// A request: complete, or its head alone while nothing of the body has been taken.
public struct ServerRequest: Sendable {
  /// The method, as `GET`.
  public let method: String
  /// The path without the query, percent-escapes resolved. Never a path of the file system.
  public let path: String
  /// The query's arguments in their order, percent-escapes resolved.
  public let query: [HTTPField]
  /// The headers in their order.
  public let headers: [HTTPField]
  /// The body; empty when there is none.
  public let body: [UInt8]
  /// The number of the account at the other end of a Unix-domain socket, as the kernel tells it; nil on TCP.
  public let peerUser: UInt32?

  /// A request.
  public init(
    method: String, path: String, query: [HTTPField] = [], headers: [HTTPField] = [],
    body: [UInt8] = [], peerUser: UInt32? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.peerUser = peerUser
  }

  /// The value of the first header with this name, in any case, or nil.
  public func header(_ name: String) -> String? { headers.first { $0.isNamed(name) }?.value }

  /// The value of the first query argument with exactly this name, or nil.
  public func argument(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
