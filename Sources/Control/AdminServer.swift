import HTTPServer

/// The admin address of a service: whether it is alive, and whether it grants.
public struct AdminServer: Sendable {
  /// Requests are small here, and come from machines that send them at once.
  private static let limits = ServerLimits(
    bodyBytes: 0, bodiesBytes: 0, connections: 256, spareConnections: 64, idleTimeoutSeconds: 10,
    requestSeconds: 10)

  private let server: HTTPServer

  /// Who is answered beyond `/healthz`.
  public enum Guarding: Sendable {
    /// Everybody: only this machine reaches the address.
    case nobody
    /// Whoever bears this token; nil for nobody at all.
    case token([UInt8]?)
  }

  /// Starts listening; throws when the address cannot be had. `objection` tells why the service does not grant, nil while
  /// it does.
  public static func start(
    host: String, port: UInt16, guarding: Guarding = .nobody,
    objection: @escaping @Sendable () -> String?
  ) throws -> AdminServer {
    let gate = AdminGate(guarding: guarding)
    let server = try HTTPServer.start(
      on: .tcp(host: host, port: port), limits: limits, gate: gate.admit
    ) { request in
      switch request.path {
      case "/healthz": return .respond(.text("alive\n"))
      case "/readyz":
        guard let reason = objection() else { return .respond(.text("granting\n")) }
        return .respond(.text("not granting: \(reason)\n", status: 503))
      default: return .respond(.text("not here\n", status: 404))
      }
    }
    return AdminServer(server: server)
  }

  /// The port at which it listens; 0 in ``start(host:port:guarding:objection:)`` lets the system choose.
  public var port: UInt16 { server.port }

  /// Stops listening.
  public func stop() async { await server.stop(graceSeconds: 1) }
}

/// Who may ask what of the admin address, decided by a request's head: no path takes a body.
struct AdminGate: Sendable {
  let guarding: AdminServer.Guarding

  /// `/healthz` for everybody; for the rest the token, unless the address is this machine's own.
  func admit(_ head: ServerRequest) -> Admission {
    let isHealth = head.path == "/healthz"
    if !isHealth, !mayAsk(head) {
      var refusal = ServerResponse.text("a bearer token is needed: admin.token\n", status: 401)
      refusal.headers.append(HTTPField("WWW-Authenticate", "Bearer"))
      return .refuse(refusal)
    }
    let isKnown = isHealth || head.path == "/readyz"
    guard isKnown, head.method == "GET" || head.method == "HEAD" else {
      return .refuse(.text("not here\n", status: 404))
    }
    return .takeBody(limitBytes: 0)
  }

  private func mayAsk(_ head: ServerRequest) -> Bool {
    guard case .token(let token) = guarding else { return true }
    let scheme = "Bearer "
    guard let token, let given = head.header("Authorization"), given.hasPrefix(scheme)
    else { return false }
    let bytes = Array(given.utf8.dropFirst(scheme.utf8.count))
    guard bytes.count == token.count else { return false }
    // All of it, so that the time taken does not tell how much is right.
    return zip(bytes, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
