/// A request: complete, or only its head if nothing of the body has been accepted yet.
package struct ServerRequest: Sendable {
  /// The method, such as `GET`.
  package let method: String
  /// The path without the query, with percent-escapes resolved. Never a path of the file system.
  package let path: String
  /// The query's arguments in order, with percent-escapes resolved.
  package let query: [HTTPField]
  /// The headers in order.
  package let headers: [HTTPField]
  /// The body; empty if there is none.
  package let body: [UInt8]
  /// The user id of the peer on a Unix-domain socket, as the kernel reports it; nil on TCP.
  package let peerUser: UInt32?

  package init(
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

  /// Returns the value of the first header with this name, ignoring case, or nil.
  package func header(_ name: String) -> String? { headers.first { $0.isNamed(name) }?.value }

  /// Returns the value of the first query argument with exactly this name, or nil.
  package func argument(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
