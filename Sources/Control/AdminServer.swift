import HTTPServer
import StrictJSON
import Threading

/// The admin address of a service: whether it is alive, and whether it grants.
public struct AdminServer: Sendable {
  /// Requests are small here, and come from machines that send them at once.
  private static let limits = ServerLimits(
    bodyBytes: activityLimitBytes, bodiesBytes: 8 << 20, connections: 256, spareConnections: 64,
    idleTimeoutSeconds: 10, requestSeconds: 10)
  /// The largest body of `POST /v1/activity`.
  static let activityLimitBytes = 1 << 20
  /// What is asked of a service at once, beyond its health, at most.
  private static let questionsAtOnce = 32

  private let server: HTTPServer

  /// Who is answered beyond `/healthz`.
  public enum Guarding: Sendable {
    /// Everybody: only this machine reaches the address.
    case nobody
    /// Whoever bears this token; nil for nobody at all.
    case token([UInt8]?)
  }

  /// What the service behind the address says.
  public struct Answers: Sendable {
    /// Why it does not grant; nil while it does.
    public var objection: @Sendable () async -> String?
    /// What it leaves undone although it grants; nil when nothing.
    public var reservation: @Sendable () -> String? = { nil }
    /// Its metrics and their media type, for a client with this `Accept` header.
    public var metrics: @Sendable (String?) async -> (contentType: String, text: String)
    /// A user's balance as JSON, nil for nobody; or why it cannot be told.
    public var user: @Sendable (String) async -> Result<[UInt8]?, AdminRefusal>
    /// Takes activity lines and returns the name of the file in which they are on the disk; or why it cannot.
    public var activity: @Sendable ([UInt8]) async -> Result<String, AdminRefusal>

    /// Answers of a service that knows nobody and takes nothing.
    public init(objection: @escaping @Sendable () async -> String?) {
      self.objection = objection
      metrics = { _ in ("text/plain", "") }
      user = { _ in .success(nil) }
      activity = { _ in .failure(AdminRefusal(cause: "this service takes no activities")) }
    }
  }

  /// Starts listening; throws when the address cannot be had. `token` is what activities must be sent with, wherever they
  /// come from.
  public static func start(
    host: String, port: UInt16, guarding: Guarding = .nobody, token: [UInt8]? = nil,
    answers: Answers
  ) throws -> AdminServer {
    let gate = AdminGate(guarding: guarding, token: token)
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
      let mayAsk = questions.withLock { count in
        if count >= Self.questionsAtOnce { return false }
        count += 1
        return true
      }
      guard mayAsk else { return .respond(.text("too much is asked at once\n", status: 503)) }
      return .later {
        defer { questions.withLock { $0 -= 1 } }
        return .respond(await answer(request, answers))
      }
    }
    return AdminServer(server: server)
  }

  private static func answer(
    _ request: ServerRequest, _ answers: Answers
  ) async -> ServerResponse {
    switch request.path {
    case "/metrics":
      let (contentType, text) = await answers.metrics(request.header("Accept"))
      return ServerResponse(
        status: 200, headers: [HTTPField("Content-Type", contentType)], body: Array(text.utf8))
    case AdminGate.activityPath:
      switch await answers.activity(request.body) {
      case .success(let name):
        var json = JSONWriter()
        json.beginObject()
        json.member("file", name)
        json.member("bytes", request.body.count)
        json.endObject()
        json.endLine()
        return .json(json.bytes, status: 202)
      case .failure(let refusal): return response(to: refusal)
      }
    default:
      let user = String(request.path.dropFirst(AdminGate.userPath.count))
      switch await answers.user(user) {
      case .success(let balance?): return .json(balance)
      case .success(nil): return .text("the ledger knows no such user\n", status: 404)
      case .failure(let refusal): return response(to: refusal)
      }
    }
  }

  private static func response(to refusal: AdminRefusal) -> ServerResponse {
    var response = ServerResponse.text("\(refusal.cause)\n", status: 503)
    response.headers.append(HTTPField("Retry-After", "30"))
    return response
  }

  /// The port at which it listens; 0 in ``start(host:port:guarding:objection:)`` lets the system choose.
  public var port: UInt16 { server.port }

  /// Stops listening.
  public func stop() async { await server.stop(graceSeconds: 1) }
}

/// Why a service does not take what it was sent.
public struct AdminRefusal: Error, Sendable {
  /// In words, for the sender.
  public let cause: String

  /// A refusal.
  public init(cause: String) { self.cause = cause }
}

/// Who may ask what of the admin address, decided by a request's head: only activities have a body.
struct AdminGate: Sendable {
  /// Where activities are sent.
  static let activityPath = "/v1/activity"
  /// What a user's path begins with.
  static let userPath = "/v1/users/"

  let guarding: AdminServer.Guarding
  /// What activities must be sent with; nil takes none.
  let token: [UInt8]?

  /// `/healthz` for everybody; for the rest the token, unless the address is this machine's own. There too, where there is a token,
  /// what users have is not for every local account. Whoever sends activities decides what users get: that always takes the token.
  func admit(_ head: ServerRequest) -> Admission {
    let isHealth = head.path == "/healthz"
    if !isHealth, !mayAsk(head) { return .refuse(Self.unauthorized) }
    if head.path == Self.activityPath, head.method == "POST" {
      return bears(token, head)
        ? .takeBody(limitBytes: AdminServer.activityLimitBytes) : .refuse(Self.unauthorized)
    }
    let isKnown =
      isHealth || head.path == "/readyz" || head.path == "/metrics"
      || head.path.hasPrefix(Self.userPath)
    guard isKnown, head.method == "GET" || head.method == "HEAD" else {
      return .refuse(.text("not here\n", status: 404))
    }
    return .takeBody(limitBytes: 0)
  }

  private static var unauthorized: ServerResponse {
    var refusal = ServerResponse.text("a bearer token is needed: admin.token\n", status: 401)
    refusal.headers.append(HTTPField("WWW-Authenticate", "Bearer"))
    return refusal
  }

  private func mayAsk(_ head: ServerRequest) -> Bool {
    if case .token(let token) = guarding { return bears(token, head) }
    return token == nil || !head.path.hasPrefix(Self.userPath) || bears(token, head)
  }

  private func bears(_ token: [UInt8]?, _ head: ServerRequest) -> Bool {
    let scheme = "Bearer "
    guard let token, let given = head.header("Authorization"), given.hasPrefix(scheme)
    else { return false }
    let bytes = Array(given.utf8.dropFirst(scheme.utf8.count))
    guard bytes.count == token.count else { return false }
    // All of it, so that the time taken does not tell how much is right.
    return zip(bytes, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
