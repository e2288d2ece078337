import HTTPServer
import Threading

/// Takes command lines on a socket of the data folder while a service holds the ledger: HTTP on a local socket, mode 0600.
public struct ControlServer: Sendable {
  /// Commands under way at most; more are told to come back.
  static let commandLimit = 32
  /// What a command may bring with it, as JSON, in bytes; all commands together no more than that either.
  static let requestLimitBytes = 24 << 20

  private let server: HTTPServer

  /// Starts listening on a socket at `path`; `run` carries a command line out in the service's own process.
  ///
  /// Whoever holds the ledger has the socket too: that of a process which held it before and hangs is replaced.
  public static func start(
    at path: String, run: @escaping @Sendable (ControlRequest) async -> ControlAnswer
  ) throws -> ControlServer {
    let limits = ServerLimits(
      bodyBytes: requestLimitBytes, bodiesBytes: requestLimitBytes,
      connections: commandLimit + 64, spareConnections: 16)
    let running = Lock(0)
    // Reading much JSON takes its time; the server's thread answers others meanwhile.
    let reading = BlockingThread(named: "rewards.control")
    let server = try HTTPServer.start(
      on: .unixSocket(path: path), replaces: true, limits: limits, gate: admit
    ) { request in
      guard request.path == "/v1/command" else { return .respond(.text("alive\n")) }
      let isFree = running.withLock { count in
        guard count < commandLimit else { return false }
        count += 1
        return true
      }
      guard isFree else { return .respond(.text("too many commands\n", status: 503)) }
      return .later {
        defer { running.withLock { $0 -= 1 } }
        let command = try? await reading.run {
          ControlRequest(json: request.body, peerUser: request.peerUser)
        }
        guard let command = command ?? nil else {
          return .respond(.text("no command\n", status: 400))
        }
        return .respond(.json(await run(command).json))
      }
    }
    return ControlServer(server: server)
  }

  /// Stops listening; commands in hand are finished first.
  public func stop() async { await server.stop(graceSeconds: 30) }

  private static func admit(_ head: ServerRequest) -> Admission {
    switch (head.method, head.path) {
    case ("GET", "/healthz"): .takeBody(limitBytes: 0)
    case ("POST", "/v1/command"): .takeBody(limitBytes: requestLimitBytes)
    default: .refuse(.text("not here\n", status: 404))
    }
  }
}
