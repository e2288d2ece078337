import CheerAPI
public import CivilTime
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
  /// An append that takes longer is told of as a failure, although it may still succeed.
  static let slowAppendSeconds = 5.0

  let runtime: Runtime
  let signals: ServiceSwitch
  let jobs: JobRunner
  private let inputs: ServiceInputs
  let relay: Relay
  let troubles: Troubles
  let polls: UserPolls
  /// Nil where nobody is warned of a streak at risk.
  let streakWatch: StreakWatch?
  let plan: Lock<ServicePlan>
  let health: ServiceHealth
  private let clockWatch: ClockWatch
  private let writeProbe: WriteProbe?

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
    plan = Lock(
      ServicePlan(inboxEverySeconds: Int64(configuration.inbox.everySeconds), runtime.clock))
    let planner = LookPlanner(configuration)
    health = ServiceHealth(intervalSeconds: planner.policy.everySeconds, troubles: troubles)
    polls = UserPolls(
      runtime, planner, APIWatch(runtime: runtime, health: health, troubles: troubles))
    streakWatch = StreakWatch(runtime)
    clockWatch = ClockWatch(runtime: runtime, signals: signals, health: health)
    writeProbe = runtime.store == nil ? nil : WriteProbe(runtime.directory)
  }

  /// Whether the service grants, and why not. Tries to write where there is nothing else to go by.
  public func readiness() async -> ServiceHealth.State {
    var state = known
    if state.writing == nil {
      state.writing = await writeProbe?.objection(now: runtime.clock.sinceBoot() ?? 0)
    }
    return state
  }

  /// What the service leaves undone although it grants; nil when nothing.
  public var reservation: String? { runtime.heldClock.doubt.map { "no day is closed: \($0)" } }

  /// The same as ``readiness()`` without a try.
  var known: ServiceHealth.State {
    var state = health.state
    // Commands may meet a failure before the service itself has something to write.
    if case .failing(let error) = runtime.store?.status { state.writing = "\(error)" }
    if state.writing == nil { state.writing = runtime.store?.lockDoubt }
    if let seconds = runtime.store?.appendingSeconds, seconds > Self.slowAppendSeconds {
      state.writing = "an append has waited \(Int(seconds)) s for the disk or the database"
    }
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
        guard let now = await clockWatch.trustedNow(), !isReplaced else { break }
        let step = plan.withLock { $0.step(of: clock) }
        if step < 0 { await goBack(to: now, bySeconds: -step) }
        // What was refused for its time may be right now.
        if step > 0 { plan.withLock { $0.hasRoster = false } }
        if await !hasBegun() { continue }
        if signals.takeReload() {
          await inputs.reload()
          plan.withLock { $0.hasRoster = false }
          await relay.reloadDevices()
          // Users whose credentials had expired have another chance.
          troubles.end(.credentials)
        }
        if !plan.withLock({ $0.hasRoster }), await inputs.readRoster() {
          plan.withLock { $0.hasRoster = true }
        }
        await polls.planNew(after: now)
        await readInbox(now)
        await keepHouse(now)
        for user in polls.takeDue(at: now) {
          start(in: &group) { await self.poll(user) }
        }
        await warn(clock.certain(), in: &group)
        for fire in await dueJobs() {
          start(in: &group) { await self.jobs.run(fire) }
        }
        let next = await nextWork()
        await signals.nap { try await clock.sleep(until: next) }
      }
      group.cancelAll()
    }
    await endDeliveries()
    log.info("stopped")
  }

  /// Ends what was begun at the start; ``run()`` does so by itself, a service that is not run after all has to be told.
  public func endDeliveries() async {
    runtime.relay.set(nil)
    await relay.finish()
  }

  /// Until when the API asked not to be asked by anybody; nil while it may be.
  public var apiPausedUntil: Instant? { runtime.api?.api.counters.pausedUntil }

  /// Does not ask the API before then: another service was told to wait.
  public func pauseAPI(until: Instant) { runtime.api?.api.pauseAll(until: until) }

  /// Whether another process has become the ledger's writer, so that this one has nothing more to do.
  public var isReplaced: Bool { runtime.store?.isLost ?? false }

  /// Whether the rules are in the ledger; tries again after a while when they could not be written.
  private func hasBegun() async -> Bool {
    if plan.withLock({ $0.hasBegun }) { return true }
    do {
      _ = try await inputs.putRules()
      plan.withLock { $0.hasBegun = true }
      return true
    } catch {
      // Once, not at every try.
      if health.isNews("\(error)", about: .rules) {
        runtime.environment.log.error(
          "the rules could not be recorded", ["cause": .text("\(error)")])
      }
      health.noteFailure("\(error)")
      let clock = runtime.clock
      await signals.nap(leavingReloads: true) {
        try await clock.sleep(seconds: Self.retrySeconds)
      }
      return false
    }
  }

  /// Begins a task with a unit of tracked work of its own.
  private func start(
    in group: inout DiscardingTaskGroup, _ work: @escaping @Sendable () async -> Void
  ) {
    runtime.clock.start(in: &group) {
      await work()
      // The service wakes before this task's unit ends: no time passes in between.
      self.signals.wake()
    }
  }

  /// Work that had nothing to write says nothing of the disk: only an append that succeeds ends a failure of the store.
  private func noteSuccess() {
    if case .failing = runtime.store?.status { return }
    health.noteWritten()
  }

  private func poll(_ user: Int) async {
    do {
      if try await polls.poll(user) { noteSuccess() }
    } catch {
      health.noteFailure("\(error)")
      runtime.environment.log.error(
        "the ledger cannot be written", ["cause": .text("\(error)")])
    }
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

  private func readInbox(_ now: Instant) async {
    guard plan.withLock({ $0.isInboxDue(now) }) else { return }
    await probeStore()
    await settleGuards()
    do {
      let outcome = try await InboxSweep(runtime: runtime).readAll()
      if outcome.rejected > 0 {
        runtime.environment.log.warning(
          "lines of the inbox were rejected",
          ["lines": .number(outcome.rejected), "see": .text(runtime.directory.rejected)])
      }
      for problem in outcome.problems {
        runtime.environment.log.warning(
          "a part of the inbox was passed over", ["cause": .text(problem)])
      }
      if let gap = outcome.gap, health.isNews(gap, about: .inboxGap) {
        runtime.environment.log.warning("the inbox is not complete", ["cause": .text(gap)])
      }
      health.noteInbox(outcome.stuck)
      if let stuck = outcome.stuck, health.isNews(stuck, about: .inbox) {
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
    // A command may have met it first, and nobody writes while it lasts.
    guard case .failing(let cause) = store.status else { return }
    if health.noteFailure("\(cause)") {
      runtime.environment.log.error(
        "the ledger cannot be written", ["cause": .text("\(cause)")])
    }
  }

  /// Ends what waited for an operator, once the day is closed.
  private func settleGuards() async {
    let waiting = troubles.subjects(of: .guarded)
    if waiting.isEmpty { return }
    let closes = await runtime.writer.read { $0.ledger.closes }
    for subject in waiting {
      guard let slash = subject.lastIndex(of: "/") else { continue }
      let day = Day(String(subject[subject.index(after: slash)...]))
      guard let day, let last = closes[String(subject[..<slash])]?.last.day, last >= day else {
        continue
      }
      troubles.end(.guarded, of: subject)
    }
  }

  /// A step of the clock backwards voids what was seen after the new now.
  private func goBack(to now: Instant, bySeconds seconds: Int64) async {
    runtime.environment.log.warning(
      "the clock was set back; looks from after now are void", ["now": .text(now.description)])
    await LookMemory(runtime.writer).void(after: now)
    jobs.forgetRetries()
    polls.forgetPlans()
    plan.withLock { $0.forgetPlans() }
    streakWatch?.forgetPlans()
    // A smaller one puts deliveries off by no more than itself, and each try counts.
    if seconds > HeldClock.toleranceSeconds { await relay.noteClockSetBack() }
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
    var next = plan.withLock { $0.nextInbox }
    if let look = polls.next { next = min(next, look) }
    if let job = await jobs.nextBegin() { next = min(next, certainly(job)) }
    if let warning = streakWatch?.next { next = min(next, certainly(warning)) }
    return next
  }

  /// When to see to what is due at `instant`: what only a clock in doubt shows to be due is asked about again.
  private func certainly(_ instant: Instant) -> Instant {
    let (now, certain) = (runtime.clock.now(), runtime.clock.certain())
    return instant > certain && instant <= now
      ? now.adding(seconds: Self.askAgainSeconds) : instant
  }

  private static let askAgainSeconds: Int64 = 15
}
