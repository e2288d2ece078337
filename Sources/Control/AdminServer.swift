import HTTPServer

/// The admin address of a service: whether it is alive, and whether it grants.
public struct AdminServer: Sendable {
  private let server: HTTPServer

  /// Starts listening; throws when the address cannot be had. `objection` tells why the service does not grant, nil while
  /// it does.
  public static func start(
    host: String, port: UInt16, objection: @escaping @Sendable () -> String?
  ) throws -> AdminServer {
    let server = try HTTPServer.start(on: .tcp(host: host, port: port)) { request in
      switch (request.method, request.path) {
      case ("GET", "/healthz"): .respond(.text("alive\n"))
      case ("GET", "/readyz"):
        if let reason = objection() {
          .respond(.text("not granting: \(reason)\n", status: 503))
        } else {
          .respond(.text("granting\n"))
        }
      default: .respond(.text("not here\n", status: 404))
      }
    }
    return AdminServer(server: server)
  }

  /// The port at which it listens; 0 in ``start(host:port:objection:)`` lets the system choose.
  public var port: UInt16 { server.port }

  /// Stops listening.
  public func stop() async { await server.stop(graceSeconds: 1) }
}
