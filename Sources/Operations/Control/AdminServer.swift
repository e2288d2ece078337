import Described
import Foundations
import HTTPServer

/// The HTTP server at a service's admin address: health, readiness, metrics, balances and activities.
package struct AdminServer: Sendable {
  /// Requests are small here, and their clients send them without delay.
  private static let limits = ServerLimits(
    bodyBytes: activityLimitBytes, bodiesBytes: 8 << 20, connections: 256, spareConnections: 64,
    idleTimeoutSeconds: 10, requestSeconds: 10)
  /// The largest body of `POST /v1/activity`.
  static let activityLimitBytes = 1 << 20
  /// The maximum number of concurrent requests, apart from health checks.
  private static let questionsAtOnce = 32

  private let server: HTTPServer

  /// Who may use the address beyond `/healthz`.
  package enum Access: Sendable {
    /// Everyone, because only this machine can reach the address.
    case everyone
    /// Callers who send this token; with nil, no one.
    case token([UInt8]?)
  }

  /// The functions by which the service answers requests.
  package struct Answers: Sendable {
    /// Returns why the service is not granting; nil while it is.
    package var objection: @Sendable () async -> String?
    /// Returns what the service leaves undone although it is granting; nil when nothing.
    package var reservation: @Sendable () -> String? = { nil }
    /// Returns the metrics and their media type for a client with this `Accept` header.
    package var metrics: @Sendable (String?) async -> (contentType: String, text: String)
    /// Returns a user's balance as JSON, nil for an unknown user, or why it is unavailable.
    package var user: @Sendable (String) async -> Result<[UInt8]?, AdminRefusal>
    /// Stores activity lines of a source, nil for the hand, and returns the name of the file that now holds them on disk, or why
    /// it cannot.
    package var activity: @Sendable ([UInt8], String?) async -> Result<String, AdminRefusal>

    /// Creates the answers of a service that knows no users and refuses activities.
    package init(objection: @escaping @Sendable () async -> String?) {
      self.objection = objection
      metrics = { _ in ("text/plain", "") }
      user = { _ in .success(nil) }
      activity = { _, _ in .failure(AdminRefusal(cause: "this service does not accept activities"))
      }
    }
  }

  /// Starts listening; throws when the address is unavailable. Sending activities takes a token, wherever they come from:
  /// `token` for the hand, or that of a source.
  package static func start(
    host: String, port: UInt16, access: Access = .everyone, token: [UInt8]? = nil,
    sources: [(name: String, token: [UInt8])] = [], answers: Answers
  ) throws -> AdminServer {
    let gate = AdminGate(access: access, token: token, sources: sources)
    let questions = Lock(0)
    let server = try HTTPServer.start(
      on: .tcp(host: host, port: port), limits: limits, gate: gate.admit
    ) { request in
      switch request.path {
      case "/healthz": return .respond(.text("alive\n"))
      case "/readyz":
        return .later {
          guard let reason = await answers.objection() else {
            return .respond(.text("granting\(answers.reservation().map { "; \($0)" } ?? "")\n"))
          }
          return .respond(.text("not granting: \(reason)\n", status: 503))
        }
      default: break
      }
      let isAdmitted = questions.withLock { count in
        if count >= Self.questionsAtOnce { return false }
        count += 1
        return true
      }
      guard isAdmitted else { return .respond(.text("too many requests at once\n", status: 503)) }
      return .later {
        defer { questions.withLock { $0 -= 1 } }
        return .respond(await answer(request, gate, answers))
      }
    }
    return AdminServer(server: server)
  }

  private static let receipt = JSONMembers<(file: String, bytes: Int)> {
    $0.add("file", \.file)
    $0.add("bytes", \.bytes)
  }

  private static func answer(
    _ request: ServerRequest, _ gate: AdminGate, _ answers: Answers
  ) async -> ServerResponse {
    switch request.path {
    case "/metrics":
      let (contentType, text) = await answers.metrics(request.header("Accept"))
      return ServerResponse(
        status: 200, headers: [HTTPField("Content-Type", contentType)], body: Array(text.utf8))
    case AdminGate.activityPath:
      switch await answers.activity(request.body, gate.source(of: request)) {
      case .success(let name):
        let receipt = receipt.text(of: (name, request.body.count)) + "\n"
        return .json(Array(receipt.utf8), status: 202)
      case .failure(let refusal): return response(to: refusal)
      }
    default:
      let user = String(request.path.dropFirst(AdminGate.userPath.count))
      switch await answers.user(user) {
      case .success(let balance?): return .json(balance)
      case .success(nil): return .text("there is no such user in the ledger\n", status: 404)
      case .failure(let refusal): return response(to: refusal)
      }
    }
  }

  private static func response(to refusal: AdminRefusal) -> ServerResponse {
    var response = ServerResponse.text("\(refusal.cause)\n", status: 503)
    response.headers.append(HTTPField("Retry-After", "30"))
    return response
  }

  /// The port it listens on; with port 0 in ``start(host:port:access:token:answers:)`` the system chose it.
  package var port: UInt16 { server.port }

  /// Stops listening.
  package func stop() async { await server.stop(graceSeconds: 1) }
}

/// The reason a service refused a request.
package struct AdminRefusal: Error, Sendable {
  /// The cause, in words for the sender.
  package let cause: String

  package init(cause: String) { self.cause = cause }
}

/// Decides from a request's head who may use what at the admin address; only activities may have a body.
struct AdminGate: Sendable {
  /// The path for sending activities.
  static let activityPath = "/v1/activity"
  /// The prefix of a user's path.
  static let userPath = "/v1/users/"

  let access: AdminServer.Access
  /// The token of people who send activities; nil refuses them.
  let token: [UInt8]?
  /// The tokens of the sources that may send activities.
  let sources: [(name: String, token: [UInt8])]

  /// Admits or refuses a request.
  ///
  /// `/healthz` is open to everyone. Everything else needs the token, unless only this machine can reach the address; even
  /// then users' balances need the token, if there is one, because other local accounts must not read them. Sending
  /// activities always needs it, because activities decide what users receive.
  func admit(_ head: ServerRequest) -> RequestAdmission {
    if head.path == Self.activityPath, head.method == "POST" {
      return hasToken(token, head) || source(of: head) != nil
        ? .takeBody(limitBytes: AdminServer.activityLimitBytes) : .refuse(Self.unauthorized)
    }
    let isHealth = head.path == "/healthz"
    if !isHealth, !isAuthorized(head) { return .refuse(Self.unauthorized) }
    let isKnown =
      isHealth || head.path == "/readyz" || head.path == "/metrics"
      || head.path.hasPrefix(Self.userPath)
    guard isKnown, head.method == "GET" || head.method == "HEAD" else {
      return .refuse(.text("not found\n", status: 404))
    }
    return .takeBody(limitBytes: 0)
  }

  /// Returns the source whose token a request carries; nil for another token.
  func source(of head: ServerRequest) -> String? {
    sources.first { hasToken($0.token, head) }?.name
  }

  private static var unauthorized: ServerResponse {
    var refusal = ServerResponse.text(
      "a bearer token is needed: admin.token, or that of a source\n", status: 401)
    refusal.headers.append(HTTPField("WWW-Authenticate", "Bearer"))
    return refusal
  }

  private func isAuthorized(_ head: ServerRequest) -> Bool {
    if case .token(let token) = access { return hasToken(token, head) }
    return token == nil || !head.path.hasPrefix(Self.userPath) || hasToken(token, head)
  }

  private func hasToken(_ token: [UInt8]?, _ head: ServerRequest) -> Bool {
    let scheme = "Bearer "
    guard let token, let given = head.header("Authorization"), given.hasPrefix(scheme)
    else { return false }
    let bytes = Array(given.utf8.dropFirst(scheme.utf8.count))
    guard bytes.count == token.count else { return false }
    // Compare every byte, so that the time taken does not reveal how many are right.
    return zip(bytes, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
