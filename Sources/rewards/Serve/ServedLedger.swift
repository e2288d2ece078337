import Configuration
import Failures
import Foundations
import LedgerDatabase
import LedgerStore
import Operations
import Scheduling

/// One ledger that this process serves: open for writing, with its service and the socket on which it receives commands.
struct ServedLedger: Sendable {
  /// The interval, in seconds, at which this shard reports that the others need not wait for it.
  private static let publishEverySeconds = 3.0
  /// Every how many reports one covers everything, in case another process has reported in this shard's name.
  private static let publishInFullEvery = 20

  let runtime: Runtime
  let service: Service
  private let signals: ServiceSwitch
  private let environment: ProgramEnvironment

  /// Opens the configured ledger, read-only if `isDry`. Throws the errors of ``Operations/Runtime`` and ``Operations/Service``, leaving
  /// nothing open.
  static func open(
    _ configuration: Configuration, in context: CommandContext, until signals: ServiceSwitch,
    isDry: Bool = false
  ) async throws -> ServedLedger {
    var environment = context.runtimeEnvironment("rewards serve")
    var hosting = context.environment
    hosting.database = context.database
    if let shardID = configuration.shardID {
      environment.log = environment.log.with(["shard": .number(shardID.number)])
    }
    let runtime = try await Runtime.open(configuration, environment, writes: !isDry)
    do {
      return ServedLedger(
        runtime: runtime, service: try await Service.start(runtime, signals: signals),
        signals: signals, environment: hosting)
    } catch {
      await runtime.close()
      throw error
    }
  }

  /// Serves until the switch says stop or another process becomes the writer. Carries out commands meanwhile, except in a dry run, when
  /// another process may hold the ledger. Throws when the socket cannot be opened.
  ///
  /// Returns whether another process has become the writer or the database went back; a closed ledger can no longer say.
  func run(isDry: Bool = false) async throws -> Bool {
    let running = RunningRequests()
    let (runtime, environment, signals) = (runtime, environment, signals)
    let requests = HostedRequests(runtime, environment)
    @Sendable func carryOut(
      _ work: @escaping @Sendable () async -> CommandResult
    ) async -> CommandResult {
      let answer = await running.run(work)
      signals.wake()
      return answer
    }
    let control: ControlServer?
    do {
      control =
        isDry
        ? nil
        : try ControlServer.start(at: runtime.directory.controlSocket) { request, user in
          await carryOut { await requests.answer(request, fromUser: user) }
        }
    } catch {
      // Deliveries would otherwise go on without the ledger.
      await service.endDeliveries()
      throw error
    }
    if control != nil { await openControlToGroup() }
    let requested =
      isDry
      ? nil
      : environment.database.map { database in
        DatabaseRequests(
          database: database,
          requests: ShardRequests(database.pool, shard: runtime.configuration.shardID?.number ?? 0),
          clock: runtime.clock, log: runtime.environment.log
        ) { request, account in
          await carryOut { await requests.answer(request, fromElsewhere: account) }
        }
      }
    let taking = requested.map { requested in runtime.clock.start { await requested.serve() } }
    let telling = isDry ? nil : runtime.clock.start { await publishCloses() }
    runtime.clock.beginWork()
    await service.run()
    runtime.clock.endWork()
    taking?.cancel()
    telling?.cancel()
    running.cancelAll()
    await taking?.value
    await telling?.value
    await control?.stop()
    return service.isReplaced
  }

  /// Lets the configured group give commands. Where that fails, the service goes on for its own account.
  private func openControlToGroup() async {
    guard let group = runtime.configuration.control.group else { return }
    let socket = runtime.directory.controlSocket
    do {
      guard runtime.directory.isControlSocketShared else {
        throw Failure(
          .configuration, "other accounts do not trust the control socket \(socket)",
          place: "control.group",
          remedy: "set RuntimeDirectory=rewards in the service's unit, then start the service again"
        )
      }
      try await BlockingThread(named: "rewards.group").run {
        try ControlServer.open(socket, to: group)
      }
    } catch {
      let failure = Failure(describing: error)
      runtime.environment.log.warning(
        "only the service's own account can give commands",
        ["cause": .text(failure.cause), "remedy": .text(failure.remedy ?? "")])
    }
  }

  /// Publishes this shard's closes until cancelled, so that other shards do not wait for closes that it does not have.
  private func publishCloses() async {
    guard runtime.environment.sharedCloses != nil else { return }
    var turn = 0
    while !Task.isCancelled {
      // Writers report a database that does not answer.
      try? await runtime.publishCloses(isRoutine: turn % Self.publishInFullEvery != 0)
      turn += 1
      try? await runtime.clock.sleep(seconds: Self.publishEverySeconds)
    }
  }

  /// Saves what is worth keeping and releases the ledger.
  func close() async { await runtime.close() }
}
