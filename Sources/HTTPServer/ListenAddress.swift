/// An address that a server listens on.
package enum ListenAddress: Sendable, Equatable, CustomStringConvertible {
  /// A numeric IPv4 or IPv6 address and a TCP port; port 0 takes any free one.
  case tcp(host: String, port: UInt16)
  /// A Unix-domain socket file, created with mode 0600 and removed at the stop.
  case unixSocket(path: String)

  /// Returns a TCP address that only this machine can reach; port 0 takes any free one.
  package static func loopback(port: UInt16 = 0) -> ListenAddress {
    .tcp(host: "127.0.0.1", port: port)
  }

  /// The address as an operator writes it.
  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unixSocket(let path): path
    }
  }

  /// Listens there for a moment; throws if a server could not.
  package func tryToListen() throws(HTTPServerError) { try ListeningSocket(self).close() }
}
