internal import Evidence
internal import Foundations
package import HTTPServer
internal import StrictJSON

/// The app's API over a file in which a person writes what users did (``WorldFile``), and a receiver of events. Safe to call from any
/// thread.
///
/// Serves the routes that show activities, by the file as it is at each request. What the file does not name has not happened.
package struct WorldAPI: Sendable {
  /// The path of the base URL at which its routes are.
  package static let basePath = "/api/v1"

  private static let limitBytes = 16 << 20

  private let file: String
  private let access: Access
  private let log: @Sendable (Message) -> Void

  /// The tokens that it accepts.
  package enum Access: Sendable {
    /// One token for all users; nil for any.
    case token(String?)
    /// A token for each user, and what each e-mail and password give at route 100.
    case perUser([String: String], logins: [[String]: String])
  }

  /// Something that happened.
  package enum Message: Sendable, Equatable {
    /// The file cannot be read, or a line of it cannot be used; requests are answered with 503.
    case objection(String)
    /// A webhook has delivered this event.
    case event(String)
  }

  /// Creates an API over the lines of `file`.
  package init(_ file: String, _ access: Access, log: @escaping @Sendable (Message) -> Void) {
    self.file = file
    self.access = access
    self.log = log
  }

  /// Serves the API until the server is stopped.
  package func start(on address: ListenAddress) throws(HTTPServerError) -> HTTPServer {
    try HTTPServer.start(on: address) { answer($0) }
  }

  /// Returns the answer to a request.
  package func answer(_ request: ServerRequest) -> ServerAnswer {
    if request.method == "POST", (try? JSONNode.parse(request.body))?["id"]?.string != nil {
      log(.event(String(decoding: request.body, as: UTF8.self)))
      return .respond(ServerResponse(status: 200))
    }
    let found = ServedRoute.find(
      method: request.method, path: request.path, userArgument: request.argument)
    if case .perUser(_, let logins) = access, found?.route == .login {
      let body = try? JSONNode.parse(request.body)
      let words = ["email", "password"].compactMap { body?[$0]?.string }
      guard let token = logins[words] else { return Self.unauthenticated }
      var json = JSONWriter()
      json.beginObject()
      json.member("token", token)
      json.endObject()
      return .respond(.json(json.bytes))
    }
    guard let (route, user) = found, let kind = route.kind else {
      return .respond(.text("no such route\n", status: 404))
    }
    guard accepts(request.header("Authorization"), for: user) else { return Self.unauthenticated }
    let world: WorldFile
    do {
      world = try WorldFile(WholeFile.readStream(file, limitBytes: Self.limitBytes))
    } catch {
      let flaw = error as? WorldFile.Flaw
      let cause = flaw.map { "\(file), line \($0.line): \($0.what)" } ?? "\(error)"
      log(.objection(cause))
      return .respond(.text("\(cause)\n", status: 503))
    }
    let writer = AnswerWriter(style: .plain, apiOffsetSeconds: 0)
    return .respond(writer.answer(route, telling: world.activities(of: user, kind)))
  }

  private func accepts(_ header: String?, for user: String) -> Bool {
    switch access {
    case .token(nil): true
    case .token(let token?): header == "Bearer \(token)"
    case .perUser(let tokens, _): tokens[user].map { header == "Bearer \($0)" } ?? false
    }
  }

  private static let unauthenticated = ServerAnswer.respond(
    .json(Array(#"{"message":"Unauthenticated."}"#.utf8), status: 401))
}
