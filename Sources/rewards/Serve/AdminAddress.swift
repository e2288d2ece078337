import Configuration
import Failures
import Foundations
import Operations
import RewardRules

/// The admin address of a serving process.
enum AdminAddress {
  /// Opens the address; beyond loopback, only clients with the token get answers.
  static func open(
    _ configuration: Configuration, _ environment: RuntimeEnvironment, answers: AdminServer.Answers
  ) async throws -> AdminServer {
    let address = configuration.admin
    let (token, sources) = try await BlockingThread(named: "rewards.admin").run {
      let fetch = { (reference: SecretReference) in
        try reference.resolve(environment: environment.variables, in: configuration.files)
      }
      return (
        try address.token.map(fetch),
        try configuration.sources.compactMap { source in
          try source.token.map { (name: source.name, token: try fetch($0)) }
        }
      )
    }
    try check(sources, beside: token)
    if !address.isLoopback, token == nil {
      environment.log.warning(
        "the admin address can be reached from other machines and admin.token is not configured: only /healthz and the sources' activities are answered",
        ["address": .text("\(address.host):\(address.port)")])
    }
    return try AdminServer.start(
      host: address.host, port: address.port,
      access: address.isLoopback ? .everyone : .token(token?.bytes), token: token?.bytes,
      sources: sources.map { ($0.name, $0.token.bytes) }, answers: answers)
  }

  /// Throws when a source's token can be guessed or is another's, because a token says who sends.
  private static func check(
    _ sources: [(name: String, token: ConfiguredSecret)], beside admin: ConfiguredSecret?
  ) throws(Failure) {
    var owners = admin.map { ["admin.token": $0.bytes] } ?? [:]
    for (name, token) in sources {
      let place = "sources.\(name).token"
      if let objection = DrawSecret.objection(to: token.bytes) {
        throw Failure(
          .configuration, "the token can be guessed: \(objection)", place: place,
          remedy: "Create one: head -c 32 /dev/urandom | base64.")
      }
      if let other = owners.first(where: { $0.value == token.bytes })?.key {
        throw Failure(
          .configuration, "the token is the same as \(other)", place: place,
          remedy: "Give each sender a token of its own.")
      }
      owners[place] = token.bytes
    }
  }
}

extension AdminServer.Answers {
  /// Answers for the service of one ledger.
  init(of service: Service) {
    self.init {
      await service.readiness().reason
    } page: {
      await service.metrics($0)
    } user: {
      .success(await service.balance(of: $0))
    } inbox: {
      try await service.receiveActivity($0, from: $1)
    }
    reservation = { service.reservation }
  }

  /// Creates answers from closures that return why the services do not grant, their metrics, a user's balance, and the name of the inbox
  /// file that received activity lines.
  init(
    objection: @escaping @Sendable () async -> String?,
    page: @escaping @Sendable (Exposition.Format) async -> Exposition,
    user: @escaping @Sendable (String) async -> Result<[UInt8]?, AdminRefusal>,
    inbox: @escaping @Sendable ([UInt8], _ source: String?) async throws -> String
  ) {
    self.init(objection: objection)
    metrics = { accepted in
      let format = Exposition.Format(accepting: accepted)
      return (format.contentType, await page(format).finished())
    }
    self.user = user
    activity = { lines, source in
      do {
        return .success(try await inbox(lines, source))
      } catch {
        return .failure(AdminRefusal(cause: "cannot write to the inbox: \(error)"))
      }
    }
  }
}
