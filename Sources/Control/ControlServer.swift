import HTTPServer

/// Takes command lines on a socket of the data folder while a service holds the ledger: HTTP on a local socket, mode 0600.
public struct ControlServer: Sendable {
  private let server: HTTPServer

  /// Starts listening on a socket at `path`; `run` carries a command line out in the service's own process.
  public static func start(
    at path: String, run: @escaping @Sendable (ControlRequest) async -> ControlAnswer
  ) throws -> ControlServer {
    let limits = ServerLimits(bodyBytes: 256 << 20)
    let server = try HTTPServer.start(
      on: .unixSocket(path: path), limits: limits
    ) { request in
      switch (request.method, request.path) {
      case ("GET", "/healthz"): return .respond(.text("alive\n"))
      case ("POST", "/v1/command"):
        guard let command = ControlRequest(json: request.body) else {
          return .respond(.text("no command\n", status: 400))
        }
        return .later { .respond(.json(await run(command).json)) }
      default: return .respond(.text("not here\n", status: 404))
      }
    }
    return ControlServer(server: server)
  }

  /// Stops listening; commands in hand are finished first.
  public func stop() async { await server.stop(graceSeconds: 30) }
}
