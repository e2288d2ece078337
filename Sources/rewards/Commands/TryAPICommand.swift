import CheerAPI
import Configuration
import Failures
import Foundations
import HTTPServer
import Operations
import Sandbox

/// Serves a simulated API over a file that a person writes.
struct TryAPICommand: Command {
  static let spec = CommandSpec(
    "try-api", "a simulated API to try things with: a file says what users did", shards: .none,
    details: """
      Listens where api.baseURL of the configuration says, on this machine alone, accepts api.token or the lines of
      api.credentials (with route 100, the login), and serves the routes 603 (the last stream), 604 (watched streams)
      and 605 (the last gift). FILE is read at each request:
      add a line, and the user has done it. Stop the program, and the API is down. A line that cannot be used is
      an outage too, and is named. Logins, comments and purchases are shown by no route: rewards ingest takes them.

        {"user":"ben","kind":"gift","at":"2026-03-02T20:15:00Z"}

      kind is stream, watch or gift. A stream or a watched stream ends at the instant "until"; without it, it goes on. Every time must be past
      for whoever polls. Webhooks may deliver to the same address: each event is printed as it arrives.
      """,
    arguments: [.init("FILE", help: "what users did, a JSON object a line")],
    examples: [
      .init("rewards try-api world.jsonl", "in a place that rewards init --try has made")
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let address = try address(of: configuration.api.baseURL)
    let access = try access(configuration, context.environment.variables)
    let file = arguments.arguments[0]
    let signals = AsyncStream<Void>.makeStream()
    let traps = try SignalTraps(stop: { signals.continuation.finish() }, reload: {})
    defer { traps.release() }
    let said = Lock<String?>(nil)
    let api = WorldAPI(file, access) { message in
      switch message {
      case .event(let event): context.show("event \(event)\n")
      case .objection(let cause):
        // Once, not at each request.
        let isNew = said.withLock { said in
          defer { said = cause }
          return said != cause
        }
        if isNew { context.complain("\(cause); the API answers 503 until it is mended") }
      }
    }
    let server = try api.start(on: address)
    context.show("\(file) is served at \(configuration.api.baseURL); end with Control-C\n")
    for await _ in signals.stream {}
    await server.stop()
    return .done
  }

  /// Returns the tokens that the configuration's credentials need. Each e-mail has a token of its own.
  private static func access(
    _ configuration: Configuration, _ variables: [String: String]
  ) throws -> WorldAPI.Access {
    guard let path = configuration.api.credentials else {
      let token = try configuration.api.token?.resolve(
        environment: variables, in: configuration.files)
      return .token(token.map { String(decoding: $0.bytes, as: UTF8.self) })
    }
    var (tokens, logins): ([String: String], [[String]: String]) = ([:], [:])
    // Credentials go by the ledger's ids, requests by those of the API.
    let named = try APIAccess.apiUsers(configuration)
    for (id, credential) in try CredentialFile.read(path: path, in: configuration.files) {
      let user = named[id] ?? id
      switch credential {
      case .token(let token): tokens[user] = token.revealed
      case .login(let email, let password):
        tokens[user] = "try-api-\(email.revealed)"
        logins[[email.revealed, password.revealed]] = tokens[user]
      }
    }
    return .perUser(tokens, logins: logins)
  }

  /// Returns the address of a base URL; throws for one beyond this machine, or with another path.
  private static func address(of baseURL: String) throws(Failure) -> ListenAddress {
    if let parts = baseURL.wholeMatch(
      of: /http:\/\/(localhost|127\.0\.0\.1):(?<port>[0-9]{1,5})(?<path>\/.*?)\/?/),
      let port = UInt16(parts.output.port), port > 0, parts.output.path == WorldAPI.basePath
    {
      return .loopback(port: port)
    }
    throw Failure(
      .configuration, "\(baseURL) is not served here", place: "api.baseURL",
      remedy: "Name an address of this machine: http://127.0.0.1:8603\(WorldAPI.basePath)")
  }
}
