import CivilTime
import Configuration
import Evidence
import Ledger
import LedgerStore
import Scheduling
import Threading

/// The service: looks at users when their time comes, takes the inbox, runs the jobs, delivers events.
///
/// One loop decides what is due; visits and jobs run beside it. It owns a unit of tracked work (``ServiceClock``), as
/// does each visit and job.
public final class Service: Sendable {
  /// How often state is kept and time zones are compared, in seconds.
  static let housekeepingEverySeconds: Int64 = 3_600
  /// After how long what could not be written at the start is tried again.
  static let retrySeconds = 5.0
  /// Polls under way at most: the API's client queues what is beyond its own cap.
  static let pollLimit = 4_096

  let runtime: Runtime
  let signals: ServiceSwitch
  let jobs: JobRunner
  private let inputs: ServiceInputs
  let relay: Relay
  let troubles: Troubles
  let policy: PollPolicy
  /// Nil where nobody is warned of a streak at risk.
  let streakWatch: StreakWatch?
  private let polling = Lock<Set<Int>>([])
  let plan: Lock<ServicePlan>
  let health: ServiceHealth

  init(
    runtime: Runtime, signals: ServiceSwitch, jobs: JobRunner, relay: Relay, troubles: Troubles
  ) {
    self.runtime = runtime
    self.signals = signals
    self.jobs = jobs
    inputs = ServiceInputs(runtime: runtime, jobs: jobs)
    self.relay = relay
    self.troubles = troubles
    let configuration = runtime.configuration
    plan = Lock(ServicePlan(inboxEverySeconds: Int64(configuration.inbox.everySeconds)))
    policy = PollPolicy(configuration)
    streakWatch = StreakWatch(runtime)
    health = ServiceHealth(intervalSeconds: policy.everySeconds, troubles: troubles)
  }

  /// Whether the service grants, and why not.
  public var readiness: ServiceHealth.State {
    var state = health.state
    // Commands may meet a failure before the service itself has something to write.
    if case .failing(let error) = runtime.store?.status { state.writing = "\(error)" }
    return state
  }

  /// Runs until the switch says stop; returns when all that was in hand is done. The caller owns a unit of work.
  public func run() async {
    let clock = runtime.clock
    let log = runtime.environment.log
    let users = await runtime.writer.read { $0.ledger.accounts.count }
    let configuration = runtime.configuration
    let zones = runtime.environment.zones
    log.info(
      "serving",
      [
        "version": .text(ProgramVersion.text), "configuration": .text(configuration.file ?? "none"),
        "data": .text(configuration.data), "api": .text(configuration.api.baseURL),
        "admin": .text("\(configuration.admin.host):\(configuration.admin.port)"),
        "tzdata": .text(zones.version),
        "tzdataAge": .text(zones.age(at: clock.now()) ?? "unknown"), "users": .number(users),
      ])
    await withDiscardingTaskGroup { group in
      while !signals.isStopping {
        guard let now = await trustedNow() else { break }
        if await !hasBegun() { continue }
        if signals.takeReload() {
          await inputs.reload()
          await relay.reloadDevices()
          // Users whose credentials had expired have another chance.
          troubles.end(.credentials)
        }
        await planNewUsers(now)
        await readInbox(now)
        await keepHouse(now)
        for user in plan.withLock({ $0.queue.takeDue(at: now, limit: Self.pollLimit) }) {
          start(in: &group) { await self.poll(user) }
        }
        await warn(now, in: &group)
        for fire in await dueJobs() {
          start(in: &group) { await self.jobs.run(fire) }
        }
        let next = await nextWork()
        await signals.nap { try await clock.sleep(until: next) }
      }
      group.cancelAll()
    }
    runtime.relay.set(nil)
    await relay.finish()
    log.info("stopped")
  }

  /// Whether rules and roster are in the ledger; tries again after a while when they could not be written.
  private func hasBegun() async -> Bool {
    if plan.withLock({ $0.hasBegun }) { return true }
    do {
      try await inputs.begin()
      plan.withLock { $0.hasBegun = true }
      return true
    } catch {
      runtime.environment.log.error(
        "the rules could not be recorded", ["cause": .text("\(error)")])
      health.noteFailure("\(error)")
      let clock = runtime.clock
      await signals.nap { try await clock.sleep(seconds: Self.retrySeconds) }
      return false
    }
  }

  /// Begins a task with a unit of tracked work of its own.
  private func start(
    in group: inout DiscardingTaskGroup, _ work: @escaping @Sendable () async -> Void
  ) {
    let clock = runtime.clock
    clock.beginWork()
    group.addTask {
      await work()
      // The service wakes before this task's unit ends: no time passes in between.
      self.signals.wake()
      clock.endWork()
    }
  }

  /// Work that had nothing to write says nothing of the disk: only an append that succeeds ends a failure of the store.
  private func noteSuccess() {
    if case .failing = runtime.store?.status { return }
    health.noteWritten()
  }

  private func poll(_ user: Int) async {
    let isFree = polling.withLock { $0.insert(user).inserted }
    if isFree {
      do {
        if let round = try await runtime.poller?.poll(user) {
          await tell(round)
          noteSuccess()
        }
      } catch {
        health.noteFailure("\(error)")
        runtime.environment.log.error(
          "the ledger cannot be written", ["cause": .text("\(error)")])
      }
      polling.withLock { _ = $0.remove(user) }
    }
    await plan([user], after: runtime.clock.now())
  }

  /// Begins to warn those whose streak is at risk.
  private func warn(_ now: Instant, in group: inout DiscardingTaskGroup) async {
    guard let streakWatch else { return }
    let count = await runtime.writer.read { $0.ledger.accounts.count }
    while case let users = streakWatch.takeDue(at: now, users: count), !users.isEmpty {
      start(in: &group) {
        do {
          try await streakWatch.run(over: users, now: now)
        } catch {
          self.health.noteFailure("\(error)")
          self.runtime.environment.log.error(
            "warnings could not be recorded", ["cause": .text("\(error)")])
        }
      }
    }
  }

  private func plan(_ users: some Sequence<Int> & Sendable, after now: Instant) async {
    let looks = await policy.nextLooks(at: users, by: runtime.writer, after: now)
    plan.withLock { plan in
      for look in looks { plan.queue.plan(look.user, at: look.due) }
    }
  }

  private func planNewUsers(_ now: Instant) async {
    let known = plan.withLock { $0.plannedUsers }
    let count = await runtime.writer.read { $0.ledger.accounts.count }
    guard count > known else { return }
    plan.withLock { $0.plannedUsers = count }
    if runtime.poller != nil { await plan(known..<count, after: now) }
  }

  /// Tells once whom the service cannot judge, and from time to time that its credentials are refused.
  private func tell(_ round: Poller.Round) async {
    let log = runtime.environment.log
    for (user, problem) in round.problems where health.isNews(problem, of: user) {
      log.error("a user is not judged", ["user": .text(user), "cause": .text(problem)])
    }
    let users = plan.withLock { $0.plannedUsers }
    switch health.noteLooks(round, at: runtime.clock.now(), users: users) {
    case .outage(let reason):
      log.error("\(reason); days stay unknown", ["users": .number(users)])
      troubles.begin(.outage, since: health.state.looks.blindSince, reason: reason)
    case .end(let seconds):
      log.warning("the API answers again", ["seconds": .number(Int(clamping: seconds))])
    case nil: break
    }
    await settle(round)
    if round.failures[.unauthorized] != nil, health.isNews("unauthorized", of: "") {
      log.error(
        "the API refuses the credentials; days stay unknown until they are renewed and SIGHUP is sent"
      )
    }
  }

  private func readInbox(_ now: Instant) async {
    guard plan.withLock({ $0.isInboxDue(now) }) else { return }
    await probeStore()
    await settleGuards()
    do {
      let outcome = try await InboxSweep(runtime: runtime).readAll()
      if outcome.rejected > 0 {
        runtime.environment.log.warning(
          "lines of the inbox were rejected", ["lines": .number(outcome.rejected)])
      }
      for problem in outcome.problems {
        runtime.environment.log.warning(
          "a part of the inbox was passed over", ["cause": .text(problem)])
      }
      health.noteInbox(outcome.stuck)
      if let stuck = outcome.stuck, health.isNews(stuck, of: "inbox") {
        runtime.environment.log.error("the inbox is stuck", ["cause": .text(stuck)])
      }
      noteSuccess()
    } catch {
      health.noteFailure("\(error)")
      runtime.environment.log.error("the inbox could not be read", ["cause": .text("\(error)")])
    }
  }

  /// After a failed append: the disk may take writes again although there is nothing to write now.
  private func probeStore() async {
    guard let store = runtime.store, case .failing = store.status else { return }
    _ = try? await BlockingThread(named: "rewards.probe").run { store.probe() }
  }

  private func keepHouse(_ now: Instant) async {
    guard plan.withLock({ $0.isHousekeepingDue(now) }) else { return }
    await runtime.keepState()
    await inputs.reloadTimeZones()
  }

  private func dueJobs() async -> [JobFire] {
    let (fires, failure) = await jobs.takeDue()
    if let failure {
      health.noteFailure("\(failure)")
      runtime.environment.log.error(
        "a missed run could not be recorded", ["cause": .text("\(failure)")])
    }
    return fires
  }

  /// The next instant at which something is to be done.
  private func nextWork() async -> Instant {
    var next = plan.withLock { $0.next }
    if let job = await jobs.nextBegin() { next = min(next, job) }
    if let warning = streakWatch?.next { next = min(next, warning) }
    return next
  }
}
