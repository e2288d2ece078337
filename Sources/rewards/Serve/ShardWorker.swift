import CivilTime
import Configuration
import Failures
import Foundations
import HTTP
import LedgerDatabase
import LedgerStore
import Operations
import Scheduling

/// Serves its part of a database's ledgers, beside other workers: each like a ledger of its own.
///
/// Every few seconds it tells that it lives, looks who else does, takes ledgers that nobody serves, and gives back what is more than
/// its part. No worker commands another; that no two serve one ledger is the lease's doing alone.
final class ShardWorker: Sendable {
  /// How often a worker looks around, in seconds: thrice in the life of a lease.
  private static let lookEverySeconds = 5.0

  private struct State {
    /// The ledgers in hand, also those that are being opened or closed.
    var serving: [Int64: Serving] = [:]
    /// Why a ledger could not be served the last time.
    var failures: [Int64: String] = [:]
    /// How long this worker leaves its part to others because it can serve nothing.
    var rest = WorkerRest()
    /// Why the database cannot be asked; nil when it can.
    var blindness: String?
    /// Ledgers that nobody serves, as of the last look; nil before the first.
    var free: Set<Int64>?
    /// What this worker went by when it last read it; nil before the first time.
    var inputs: WorkerInputs?
    /// In what the workers differ, as of the last look.
    var differences: [String] = []
    /// The worker to which this one leaves all ledgers because of its time zones; nil for none.
    var yieldsTo: String?
    /// Whether this worker has told the others of itself without being held back.
    var isAdmitted = false

    var servesSomething: Bool { serving.values.contains { $0.ledger != nil } }

    /// Whether it can serve what it gets: who cannot leaves its part to others.
    func isUseful(at now: Instant) -> Bool {
      servesSomething || failures.isEmpty && rest.isOver(at: now)
    }
  }

  private struct Serving {
    let signals: ServiceSwitch
    /// Nil while it is being opened.
    var ledger: ServedLedger?
  }

  private let context: CommandContext
  /// Of all ledgers: what a file says later counts after the next start.
  private let configuration: Configuration
  private let database: AttachedDatabase
  private let fleet: ShardFleet
  private let pause: SharedPause
  private let name: String
  private let log: Log
  private let zones: SharedZones
  private let state = Lock(State())

  /// A worker at the attached database, with the common options of `context`.
  init(_ context: CommandContext, _ configuration: Configuration) throws {
    self.context = context
    self.configuration = configuration
    log = context.log
    zones = SharedZones(context.environment.reloadZones)
    // Processes of two containers may have the same number on machines of the same name.
    name = "\(context.environment.process) \(RandomBytes.name(4))"
    database = try context.requireDatabase()
    fleet = ShardFleet(database.pool, worker: name)
    pause = SharedPause(database.pool, longestSeconds: RetryAfter.capSeconds)
  }

  /// Serves until the switch says stop; returns when all that was in hand is done.
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
    // Others learn it by themselves, a little later.
    try? await database.run { [fleet] _ in try fleet.leave() }
  }

  private var inHand: [ServiceSwitch] { state.withLock { $0.serving.values.map(\.signals) } }

  /// Looks around, and begins or ends to serve what has changed.
  private func look(in group: inout DiscardingTaskGroup) async {
    let muster: ShardFleet.Muster
    do {
      // Whoever comes looks before it tells.
      if !state.withLock({ $0.isAdmitted }) {
        yield(
          in: try await database.run { [fleet] _ in try fleet.muster(isUseful: false) }.workers)
      }
      let now = context.clock.now()
      let (isUseful, told) = state.withLock { state in
        let isHeldBack = state.yieldsTo != nil
        let isUseful = state.isUseful(at: now)
        if isUseful, !isHeldBack { state.isAdmitted = true }
        return (isUseful, state.inputs?.text(isHeldBack: isHeldBack) ?? "")
      }
      muster = try await database.run { [fleet] _ in
        try fleet.muster(isUseful: isUseful, inputs: told)
      }
      yield(in: muster.workers)
      if state.withLock({ $0.blindness.take() }) != nil {
        log.warning("the database answers again")
      }
    } catch {
      let cause = "\(Failure(describing: error).cause)"
      if state.withLock({ $0.blindness.replace(by: cause) }) != cause {
        log.error("the database cannot be asked who serves what", ["cause": .text(cause)])
      }
      return
    }
    compareInputs(of: muster.workers)
    let held = state.withLock { Set($0.serving.keys) }
    if state.withLock({ $0.yieldsTo }) != nil {
      for service in inHand { service.stop() }
      return
    }
    let balance = ShardBalance(
      of: name,
      among: muster.workers.lazy.filter { !WorkerInputs.isHeldBack($0.inputs) }.map(\.name),
      count: muster.shards.count)
    for shard in balance.surplus(holding: held) {
      state.withLock { $0.serving[shard]?.signals }?.stop()
    }
    let free = Set(muster.shards.lazy.filter { $0.secondsLeft < 0 }.map(\.shard))
    state.withLock { state in
      state.free = free
      // What somebody serves is no failure of this worker any more.
      state.failures = state.failures.filter { free.contains($0.key) }
    }
    let wanted = balance.wanted(holding: held, free: free)
    // A ledger reads everything when it is opened.
    if !wanted.isEmpty { await readInputs() }
    for shard in wanted {
      let share = LedgerShare(Int(shard), of: muster.shards.count)
      let signals = ServiceSwitch()
      state.withLock { $0.serving[shard] = Serving(signals: signals) }
      group.addTask { await self.serve(share, until: signals) }
    }
  }

  private func readInputs() async {
    let inputs = try? await BlockingThread(named: "rewards.inputs").run {
      [configuration, zonesFolder = context.environment.variables["TZDIR"]] in
      WorkerInputs(reading: configuration, SystemZones(directory: zonesFolder))
    }
    state.withLock { $0.inputs = inputs ?? $0.inputs }
  }

  /// Finds out whether one of the workers goes by time zones before which this one must stand back.
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

  /// Tells when workers go by different inputs, and when they do so no more.
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

  /// Serves one ledger until it is given back, or somebody else has taken it.
  private func serve(_ share: LedgerShare, until signals: ServiceSwitch) async {
    let shard = Int64(share.number)
    var failure: String?
    do {
      let context = context.with(share).reloadingZones { [zones] in
        zones.reload(for: shard) { self.reloadAll(but: shard) }
      }
      let ledger = try await ServedLedger.open(
        configuration(of: share), in: context, until: signals)
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
        log.warning("another worker has taken a ledger", ["shard": .number(share.number)])
      }
    } catch let error as LedgerError where error.kind == .locked {
      // Somebody was faster.
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
        ["shard": .number(share.number), "cause": .text(failure)])
    }
  }

  private func configuration(of share: LedgerShare) -> Configuration {
    database.configuration(configuration, of: share)
  }

  /// Has the other services look at what they read, the time zones among it.
  private func reloadAll(but shard: Int64) {
    let others = state.withLock { $0.serving.filter { $0.key != shard }.map(\.value.signals) }
    for service in others { service.reload() }
  }

  /// What the worker says at its admin address.
  var answers: AdminServer.Answers {
    AdminServer.Answers {
      await self.objection()
    } page: { format in
      var page = Exposition(format)
      for (_, ledger) in self.ledgers { page.add(await ledger.service.metrics(format)) }
      return page
    } user: { user in
      let shard = LedgerShare.number(of: user, among: self.context.shards)
      guard let ledger = self.ledger(of: shard) else {
        return .failure(
          AdminRefusal(cause: "shard \(shard), which has this user, is served by another worker"))
      }
      return .success(await ledger.service.balance(of: user))
    } inbox: {
      try await self.handOver($0)
    }
  }

  private func ledger(of shard: Int) -> ServedLedger? {
    state.withLock { $0.serving[Int64(shard)]?.ledger }
  }

  /// Puts activity lines into the inboxes of the ledgers that they are about, whoever serves those; returns the name of a file.
  private func handOver(_ lines: [UInt8]) async throws -> String {
    let zone = try context.zones.zone(named: configuration.api.timeZone)
    let count = context.shards
    let shards = try await BlockingThread(named: "rewards.lines").run {
      ShardedLines.shards(of: lines, among: count, naiveZone: zone)
    }
    var name = ""
    for shard in shards {
      if let ledger = ledger(of: shard) {
        name = try await ledger.service.receiveActivity(lines)
        continue
      }
      let directory = configuration(of: LedgerShare(shard, of: count)).directory
      name = IngestCommand.fileName(at: context)
      try await InboxFolder(directory, naiveZone: zone).handOver(lines, as: name)
    }
    return name
  }

  /// The ledgers that are served, in order.
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
    // One to spare has nothing to do while others serve all.
    let isNeeded = state.free.map { !$0.isEmpty } ?? true
    return ledgers.isEmpty && isNeeded ? "this worker serves no ledger yet" : nil
  }
}

extension Optional {
  /// Puts another value in the place of this one, which is returned.
  fileprivate mutating func replace(by value: Wrapped) -> Wrapped? {
    defer { self = value }
    return self
  }
}
