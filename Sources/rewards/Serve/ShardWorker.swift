import CivilTime
import Configuration
import Failures
import Foundations
import HTTPClient
import Ledger
import LedgerDatabase
import LedgerStore
import Operations
import Scheduling

/// Serves its part of a database's ledgers alongside other workers, each ledger as if it were the only one.
///
/// Every few seconds it announces that it is alive, looks at which other workers are, takes ledgers that nobody serves,
/// and gives back any beyond its part. No worker commands another; only the lease keeps two from serving one ledger.
final class ShardWorker: Sendable {
  /// How often a worker looks around, in seconds: three times in the life of a lease.
  private static let lookEverySeconds = 5.0

  private struct State {
    /// The ledgers in hand, including those being opened or closed.
    var serving: [Int64: Serving] = [:]
    /// Why each ledger could not be served last time.
    var failures: [Int64: String] = [:]
    /// How long this worker leaves its part to others because it can serve nothing.
    var rest = WorkerRest()
    /// Why the database cannot be queried; nil when it can.
    var blindness: String?
    /// Ledgers that nobody served at the last look; nil before the first.
    var free: Set<Int64>?
    /// This worker's inputs when it last read them; nil before the first time.
    var inputs: WorkerInputs?
    /// The parts in which the workers' inputs differed at the last look.
    var differences: [String] = []
    /// The worker to which this one leaves all ledgers because their time zones differ; nil for none.
    var yieldsTo: String?
    /// Whether this worker has announced itself to the others without being held back.
    var isAdmitted = false

    var servesSomething: Bool { serving.values.contains { $0.ledger != nil } }

    /// Whether it can serve what it gets; if not, it leaves its part to others.
    func isUseful(at now: Instant) -> Bool {
      servesSomething || failures.isEmpty && rest.isOver(at: now)
    }
  }

  private struct Serving {
    let signals: ServiceSwitch
    /// The ledger; nil while it is being opened.
    var ledger: ServedLedger?
  }

  private let context: CommandContext
  /// The configuration of all ledgers; changes to its file take effect at the next start.
  private let configuration: Configuration
  private let database: AttachedDatabase
  private let fleet: ShardFleet
  private let pause: SharedPause
  private let name: String
  private let log: Log
  private let zones: SharedZones
  private let state = Lock(State())

  /// Creates a worker for the attached database, with the common options of `context`.
  init(_ context: CommandContext, _ configuration: Configuration) throws {
    self.context = context
    self.configuration = configuration
    log = context.log
    zones = SharedZones(context.environment.reloadZones)
    // Processes in two containers may have the same number on machines of the same name.
    name = "\(context.environment.process) \(RandomBytes.name(4))"
    database = try context.requireDatabase()
    fleet = ShardFleet(database.pool, worker: name)
    pause = SharedPause(database.pool, longestSeconds: RetryAfter.capSeconds)
  }

  /// Serves until it is told to stop, and returns once all work is done.
  func run(until signals: ServiceSwitch) async {
    let clock = context.clock
    let pauses = PauseSharing(database: database, pause: pause, clock: clock) {
      self.ledgers.map(\.ledger.service)
    }
    let sharing = clock.start { await pauses.run() }
    await withDiscardingTaskGroup { group in
      clock.beginWork()
      await readInputs()
      while !signals.isStopping {
        if signals.takeReload() {
          for service in inHand { service.reload() }
          state.withLock { $0.rest.forget() }
          await readInputs()
        }
        await look(in: &group)
        await signals.nap { try await clock.sleep(seconds: Self.lookEverySeconds) }
      }
      for service in inHand { service.stop() }
      clock.endWork()
    }
    sharing.cancel()
    await sharing.value
    // If this fails, the others find out by themselves a little later.
    try? await database.run { [fleet] _ in try fleet.leave() }
  }

  private var inHand: [ServiceSwitch] { state.withLock { $0.serving.values.map(\.signals) } }

  /// Looks around, and starts or stops serving ledgers accordingly.
  private func look(in group: inout DiscardingTaskGroup) async {
    let view: ShardFleet.View
    do {
      // A new worker looks before it announces itself.
      if !state.withLock({ $0.isAdmitted }) {
        yield(
          in: try await database.run { [fleet] _ in try fleet.checkIn(isUseful: false) }.workers)
      }
      let now = context.clock.now()
      let (isUseful, told) = state.withLock { state in
        let isHeldBack = state.yieldsTo != nil
        let isUseful = state.isUseful(at: now)
        if isUseful, !isHeldBack { state.isAdmitted = true }
        return (isUseful, state.inputs?.text(isHeldBack: isHeldBack) ?? "")
      }
      view = try await database.run { [fleet] _ in
        try fleet.checkIn(isUseful: isUseful, inputs: told)
      }
      yield(in: view.workers)
      if state.withLock({ $0.blindness.take() }) != nil {
        log.warning("the database answers again")
      }
    } catch {
      let cause = "\(Failure(describing: error).cause)"
      if state.withLock({ $0.blindness.replace(by: cause) }) != cause {
        log.error("the database does not say who serves what", ["cause": .text(cause)])
      }
      return
    }
    compareInputs(of: view.workers)
    let held = state.withLock { Set($0.serving.keys) }
    if state.withLock({ $0.yieldsTo }) != nil {
      for service in inHand { service.stop() }
      return
    }
    let balance = ShardBalance(
      of: name,
      among: view.workers.lazy.filter { !WorkerInputs.isHeldBack($0.inputs) }.map(\.name),
      count: view.shards.count)
    for shard in balance.surplus(holding: held) {
      state.withLock { $0.serving[shard]?.signals }?.stop()
    }
    let free = Set(view.shards.lazy.filter { $0.secondsLeft < 0 }.map(\.shard))
    state.withLock { state in
      state.free = free
      // A ledger that another worker serves is no longer this worker's failure.
      state.failures = state.failures.filter { free.contains($0.key) }
    }
    let wanted = balance.wanted(holding: held, free: free)
    // Opening a ledger reads every input anew.
    if !wanted.isEmpty { await readInputs() }
    for shard in wanted {
      let shardID = ShardID(Int(shard), of: view.shards.count)
      let signals = ServiceSwitch()
      state.withLock { $0.serving[shard] = Serving(signals: signals) }
      group.addTask { await self.serve(shardID, until: signals) }
    }
  }

  private func readInputs() async {
    let inputs = try? await BlockingThread(named: "rewards.inputs").run {
      [configuration, zonesFolder = context.environment.variables["TZDIR"]] in
      WorkerInputs(reading: configuration, SystemZones(directory: zonesFolder))
    }
    state.withLock { $0.inputs = inputs ?? $0.inputs }
  }

  /// Finds out whether this worker must stand back because of another worker's time zones.
  private func yield(in workers: [ShardFleet.Worker]) {
    let name = name
    let (before, other) = state.withLock { state in
      let (inputs, isAdmitted, before) = (state.inputs, state.isAdmitted, state.yieldsTo)
      let other = workers.first { worker in
        if worker.name == name || WorkerInputs.isHeldBack(worker.inputs) { return false }
        return inputs?.yields(
          to: WorkerInputs(parsing: worker.inputs),
          hasPrecedence: isAdmitted && name < worker.name) ?? false
      }
      state.yieldsTo = other?.name
      if other != nil { state.isAdmitted = false }
      return (before, other?.name)
    }
    if let other, before == nil {
      log.error(
        "this worker serves nothing: its time zones are older than another worker's, or others of the same version; install the same tzdata everywhere",
        ["worker": .text(other)])
    } else if other == nil, before != nil {
      log.warning("this worker serves again: no other one goes by other time zones")
    }
  }

  /// Logs when the workers' inputs begin to differ, and when they agree again.
  private func compareInputs(of workers: [ShardFleet.Worker]) {
    let differences = WorkerInputs.differences(
      among: workers.map { WorkerInputs(parsing: $0.inputs) })
    let known = state.withLock { state in
      defer { state.differences = differences }
      return state.differences
    }
    if differences == known { return }
    if differences.isEmpty {
      log.warning("the workers go by the same again")
    } else {
      log.warning(
        "the workers go by different inputs; give all the same, and see rewards store status",
        ["differ": .text(differences.joined(separator: ", "))])
    }
  }

  /// Serves one ledger until it is given back or another worker takes it.
  private func serve(_ shardID: ShardID, until signals: ServiceSwitch) async {
    let shard = Int64(shardID.number)
    var failure: String?
    do {
      let context = context.with(shardID).reloadingZones { [zones] in
        zones.reload(for: shard) { self.reloadAll(but: shard) }
      }
      let ledger = try await ServedLedger.open(
        configuration(of: shardID), in: context, until: signals)
      state.withLock { state in
        state.serving[shard]?.ledger = ledger
        state.failures[shard] = nil
        state.rest.forget()
      }
      let isReplaced: Bool
      do {
        isReplaced = try await ledger.run()
      } catch {
        await ledger.close()
        throw error
      }
      await ledger.close()
      if isReplaced {
        log.warning("another worker has taken a ledger", ["shard": .number(shardID.number)])
      }
    } catch let error as LedgerError where error.kind == .locked {
      // Another worker was faster.
    } catch {
      failure = Failure(describing: error).cause
    }
    let now = context.clock.now()
    let known = state.withLock { state in
      state.serving[shard] = nil
      if failure != nil, !state.servesSomething { state.rest.recordFailure(at: now) }
      defer { state.failures[shard] = failure }
      return state.failures[shard]
    }
    if let failure, failure != known {
      log.error(
        "a ledger cannot be served",
        ["shard": .number(shardID.number), "cause": .text(failure)])
    }
  }

  private func configuration(of shardID: ShardID) -> Configuration {
    database.configuration(configuration, of: shardID)
  }

  /// Makes the other services reload what they read, including the time zones.
  private func reloadAll(but shard: Int64) {
    let others = state.withLock { $0.serving.filter { $0.key != shard }.map(\.value.signals) }
    for service in others { service.reload() }
  }

  /// The worker's answers at its admin address.
  var answers: AdminServer.Answers {
    AdminServer.Answers {
      await self.objection()
    } page: { format in
      var page = Exposition(format)
      for (_, ledger) in self.ledgers { page.add(await ledger.service.metrics(format)) }
      return page
    } user: { user in
      let shard = ShardID.number(of: user, among: self.context.shards)
      guard let ledger = self.ledger(of: shard) else {
        return .failure(
          AdminRefusal(cause: "another worker serves shard \(shard), which has this user"))
      }
      return .success(await ledger.service.balance(of: user))
    } inbox: {
      try await self.handOver($0, from: $1)
    }
  }

  private func ledger(of shard: Int) -> ServedLedger? {
    state.withLock { $0.serving[Int64(shard)]?.ledger }
  }

  /// Puts activity lines into the inboxes of the ledgers they concern, whichever worker serves those, and returns the
  /// name of a file.
  private func handOver(_ lines: [UInt8], from source: String?) async throws -> String {
    let zone = try context.zones.zone(named: configuration.api.timeZone)
    let count = context.shards
    let shards = try await BlockingThread(named: "rewards.lines").run {
      ShardedLines.shards(of: lines, among: count, naiveZone: zone)
    }
    var name = ""
    for shard in shards {
      if let ledger = ledger(of: shard) {
        name = try await ledger.service.receiveActivity(lines, from: source)
        continue
      }
      let directory = configuration(of: ShardID(shard, of: count)).directory
      let terms = configuration.sources.map(\.terms).first { $0.name == source } ?? .hand
      name = Ingestion.fileName(at: context.clock.now())
      try await InboxFolder(directory, of: terms, naiveZone: zone).handOver(lines, as: name)
    }
    return name
  }

  /// The ledgers being served, in order.
  private var ledgers: [(shard: Int64, ledger: ServedLedger)] {
    state.withLock { state in
      state.serving.compactMap { shard, serving in serving.ledger.map { (shard, $0) } }
    }.sorted { $0.0 < $1.0 }
  }

  /// Why this worker does not grant, or not everywhere; nil while it does.
  private func objection() async -> String? {
    let state = state.withLock { $0 }
    if let blindness = state.blindness { return blindness }
    if let other = state.yieldsTo { return "worker \(other) goes by newer or other time zones" }
    if let (shard, failure) = state.failures.min(by: { $0.key < $1.key }) {
      return "shard \(shard): \(failure)"
    }
    let ledgers = ledgers
    for (shard, ledger) in ledgers {
      if let reason = await ledger.service.readiness().reason { return "shard \(shard): \(reason)" }
    }
    // A spare worker has nothing to do while others serve everything.
    let isNeeded = state.free.map { !$0.isEmpty } ?? true
    return ledgers.isEmpty && isNeeded ? "this worker serves no ledger yet" : nil
  }
}

extension Optional {
  /// Replaces this value and returns the old one.
  fileprivate mutating func replace(by value: Wrapped) -> Wrapped? {
    defer { self = value }
    return self
  }
}
