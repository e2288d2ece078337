import Configuration
import HTTP
import LedgerDatabase
import LedgerStore
import Operations
import Scheduling

/// One ledger that this process serves: opened for writing, with its service and the socket on which it takes commands.
struct ServedLedger: Sendable {
  /// How often other shards are told that they need not wait for this one, in seconds.
  private static let tellEverySeconds = 3.0
  /// How often of that all is told, whatever somebody else has told in this shard's name.
  private static let tellInFullEvery = 20

  let runtime: Runtime
  let service: Service
  private let signals: ServiceSwitch
  private let environment: ProgramEnvironment

  /// Opens the configured ledger; with `isDry` it is only read. Throws what ``Operations/Runtime`` and
  /// ``Operations/Service`` throw, and leaves nothing open then.
  static func open(
    _ configuration: Configuration, in context: CommandContext, until signals: ServiceSwitch,
    isDry: Bool = false
  ) async throws -> ServedLedger {
    var environment = context.runtimeEnvironment("rewards serve")
    var hosting = context.environment
    hosting.database = context.database
    if let share = configuration.share {
      environment.log = environment.log.with(["shard": .number(share.number)])
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

  /// Serves until the switch says stop, or another process has become the writer; takes commands meanwhile, unless
  /// the run is dry: somebody else may hold the ledger then. Throws when the socket cannot be had.
  ///
  /// Returns whether another process has become the writer, or the database went back: nothing tells once the ledger is closed.
  func run(isDry: Bool = false) async throws -> Bool {
    let running = RunningRequests()
    let (runtime, environment, signals) = (runtime, environment, signals)
    let requests = HostedRequests(runtime, environment)
    @Sendable func carryOut(
      _ work: @escaping @Sendable () async -> ControlAnswer
    ) async -> ControlAnswer {
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
      // Its deliveries would go on without the ledger.
      await service.endDeliveries()
      throw error
    }
    let requested =
      isDry
      ? nil
      : environment.database.map { database in
        DatabaseRequests(
          database: database,
          requests: ShardRequests(database.pool, shard: runtime.configuration.share?.number ?? 0),
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

  /// Keeps the other shards of a database from waiting for closes that are none here, until it is cancelled.
  private func publishCloses() async {
    guard runtime.environment.sharedCloses != nil else { return }
    var turn = 0
    while !Task.isCancelled {
      // A database that does not answer is told of by whoever writes to it.
      try? await runtime.publishCloses(isRoutine: turn % Self.tellInFullEvery != 0)
      turn += 1
      try? await runtime.clock.sleep(seconds: Self.tellEverySeconds)
    }
  }

  /// Keeps what is worth keeping and gives the ledger back.
  func close() async { await runtime.close() }
}
