import Configuration
import Failures
import LedgerDatabase
import Operations
import Scheduling

/// Forwards requests to the process that holds a ledger in a database, wherever it runs.
struct DatabaseForwarding {
  /// How long a service may take to claim the request, in seconds; a service polls twice a second.
  private static let takingSeconds = 6.0
  /// How long a service may take to carry out the request, in seconds.
  private static let workingSeconds = 3_600.0
  private static let lookEverySeconds = 0.1

  private let context: CommandContext
  private let database: AttachedDatabase
  private let requests: ShardRequests
  private let shard: Int

  /// Creates the forwarding to a configuration's ledger; nil if that is in no database.
  init?(_ context: CommandContext, _ configuration: Configuration) {
    guard let database = context.database else { return nil }
    self.context = context
    self.database = database
    shard = configuration.shardID?.number ?? 0
    requests = ShardRequests(database.pool, shard: shard)
  }

  /// Whether a service holds the lease, as far as the database knows.
  func isServed() async -> Bool { await servedToken() != nil }

  /// Returns the token under which a service holds the lease; nil while none does.
  private func servedToken() async -> Int64? {
    guard let shards = try? await database.run({ try ShardStatus.all($0) }),
      let row = shards.first(where: { $0.shard == Int64(shard) })
    else { return nil }
    let isService = row.holder?.hasSuffix("(rewards serve)") ?? false
    return row.secondsLeft >= 0 && isService ? row.token : nil
  }

  /// Leaves a request in the database and prints the answer. Returns nil when nobody took it, so that nothing was done. Throws when
  /// somebody took it and has not reported the outcome.
  func send(_ parcel: RequestParcel) async throws -> ExitCode? {
    let body = parcel.bytes
    let id = RandomBytes.name(16)
    guard body.count <= ShardRequests.bodyLimitBytes else {
      throw Failure(
        .usage,
        "the input is larger than the \(ShardRequests.bodyLimitBytes >> 20) MiB that a running service accepts at once",
        remedy: "Split it.")
    }
    let account = context.environment.account
    try await database.run { [requests] _ in try requests.submit(body, as: id, from: account) }
    do {
      // The taker's lease, noted as soon as the request is taken: another process may hold it soon.
      var token: Int64?
      if let told = try await answer(to: id, notingTaker: &token) { return show(told) }
      if try await isWithdrawn(id) { return nil }
      // Wait while the service that took it holds the lease, and a little longer: it may have answered at its end.
      if token == nil { token = await servedToken() }
      var isOver = false
      for _ in 0..<Int(Self.workingSeconds / Self.takingSeconds) where !isOver {
        isOver = await servedToken() != token
        if let told = try await answer(to: id, notingTaker: &token) { return show(told) }
      }
    } catch {
      // Withdraw the request when giving up. If that fails too, nobody takes it once it is old, but somebody may have it already.
      if (try? await isWithdrawn(id)) ?? false { throw error }
    }
    throw Failure(
      .tryAgain, "the service that holds the ledger did not report the outcome",
      place: "shard \(shard)",
      remedy: "The ledger shows what it did: check before you repeat the command.")
  }

  private func isWithdrawn(_ id: String) async throws -> Bool {
    try await database.run { [requests] _ in try requests.withdraw(id) }
  }

  private func answer(
    to id: String, notingTaker token: inout Int64?
  ) async throws -> [UInt8]? {
    for _ in 0..<Int(Self.takingSeconds / Self.lookEverySeconds) {
      if let told = try await database.run({ [requests] _ in try requests.answer(to: id) }) {
        return told
      }
      if token == nil, try await database.run({ [requests] _ in try requests.isTaken(id) }) {
        token = await servedToken()
      }
      try await context.environment.clock.sleep(seconds: Self.lookEverySeconds)
    }
    return nil
  }

  private func show(_ told: [UInt8]) -> ExitCode {
    CommandResult(json: told).map(context.show) ?? .internalError
  }
}
