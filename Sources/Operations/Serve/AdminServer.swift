import HTTPServer

/// The admin address of a service: whether it is alive, and whether it grants.
public struct AdminServer: Sendable {
  private let server: HTTPServer

  /// Starts listening where the configuration says; throws when the address cannot be had.
  public static func start(_ service: Service) throws -> AdminServer {
    let admin = service.runtime.configuration.admin
    let server = try HTTPServer.start(on: .tcp(host: admin.host, port: admin.port)) { request in
      switch (request.method, request.path) {
      case ("GET", "/healthz"): .respond(.text("alive\n"))
      case ("GET", "/readyz"):
        if let reason = service.readiness.reason {
          .respond(.text("not granting: \(reason)\n", status: 503))
        } else {
          .respond(.text("granting\n"))
        }
      default: .respond(.text("not here\n", status: 404))
      }
    }
    return AdminServer(server: server)
  }

  /// Stops listening.
  public func stop() async { await server.stop(graceSeconds: 1) }
}
