import CheerAPI
package import CivilTime
import Configuration
import Evidence
import Foundations
import Ledger
import LedgerStore
import Scheduling

/// The service: polls users when they are due, reads the inbox, runs the jobs and delivers events.
///
/// One loop decides what is due; visits and jobs run alongside. The loop owns a unit of tracked work
/// (``ServiceClock``), as does each visit and job.
package final class Service: Sendable {
  /// The interval for saving state and comparing time zones, in seconds.
  static let housekeepingEverySeconds: Int64 = 3_600
  /// The delay before retrying what could not be written at the start, in seconds.
  static let retrySeconds = 5.0
  /// The time, in seconds, after which an append is reported as failing, although it may still succeed.
  static let slowAppendSeconds = 5.0

  let runtime: Runtime
  let signals: ServiceSwitch
  let jobs: JobRunner
  private let inputs: ServiceInputs
  let relay: Relay
  let troubles: Troubles
  let polls: UserPolls
  /// Nil when no one is warned of a streak at risk.
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

  /// Returns whether the service grants, and why not. Tries a write when nothing else shows it.
  package func readiness() async -> ServiceHealth.State {
    var state = known
    if state.writing == nil {
      state.writing = await writeProbe?.objection(now: runtime.clock.sinceBoot() ?? 0)
    }
    return state
  }

  /// What the service leaves undone although it is granting; nil when nothing.
  package var reservation: String? { runtime.heldClock.doubt.map { "no day is closed: \($0)" } }

  /// The same as ``readiness()``, without trying a write.
  var known: ServiceHealth.State {
    var state = health.state
    // Commands may meet a failure before the service has anything to write.
    if case .failing(let error) = runtime.store?.status { state.writing = "\(error)" }
    if state.writing == nil { state.writing = runtime.store?.lockDoubt }
    if let seconds = runtime.store?.appendingSeconds, seconds > Self.slowAppendSeconds {
      state.writing = "an append has waited \(Int(seconds)) s for the disk or the database"
    }
    return state
  }

  /// Runs until the switch says stop; returns once all work in progress is done. The caller owns a unit of tracked
  /// work.
  package func run() async {
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
        // Lines refused for their time may be valid now.
        if step > 0 { plan.withLock { $0.hasRoster = false } }
        if await !hasBegun() { continue }
        if signals.takeReload() {
          await inputs.reload()
          plan.withLock { $0.hasRoster = false }
          await relay.reloadUsers()
          // Users with expired credentials get another chance.
          troubles.end(.credentials)
        }
        if !plan.withLock({ $0.hasRoster }), await inputs.readRoster() {
          plan.withLock { $0.hasRoster = true }
        }
        await polls.planNew(after: now)
        await readInbox(now)
        await runHousekeeping(now)
        for user in polls.dequeueDue(at: now) {
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

  /// Ends the deliveries begun at the start. ``run()`` calls it; call it for a service that is never run.
  package func endDeliveries() async {
    runtime.relay.set(nil)
    await relay.finish()
  }

  /// The time until which the API asked all callers to wait; nil when it may be polled.
  package var apiPausedUntil: Instant? { runtime.api?.api.counters.pausedUntil }

  /// Sends nothing before `until`, because the API asked another process to pause.
  package func pauseAPI(until: Instant) { runtime.api?.api.pauseAll(until: until) }

  /// Whether another process has become the ledger's writer, so that this one has nothing left to do.
  package var isReplaced: Bool { runtime.store?.isLost ?? false }

  /// Returns whether the rules are in the ledger; waits before a retry when they could not be written.
  private func hasBegun() async -> Bool {
    if plan.withLock({ $0.hasBegun }) { return true }
    do {
      try await runtime.proposeConfigured(by: runtime.environment.actor)
      plan.withLock { $0.hasBegun = true }
      return true
    } catch {
      // Log it once, not at every retry.
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

  /// Starts a task with its own unit of tracked work.
  private func start(
    in group: inout DiscardingTaskGroup, _ work: @escaping @Sendable () async -> Void
  ) {
    runtime.clock.start(in: &group) {
      await work()
      // Wake the service before this task's unit ends, so that no simulated time passes in between.
      self.signals.wake()
    }
  }

  /// Notes that work succeeded. That alone says nothing about the disk: only a successful append ends a failure of the
  /// store.
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

  /// Starts the warnings about streaks at risk.
  private func warn(_ now: Instant, in group: inout DiscardingTaskGroup) async {
    guard let streakWatch else { return }
    let count = await runtime.writer.read { $0.ledger.accounts.count }
    while case let users = streakWatch.dequeueDue(at: now, users: count), !users.isEmpty {
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
          "inbox lines were rejected",
          [
            "lines": .number(outcome.rejected), "first": .text(outcome.rejections.first ?? "none"),
          ])
      }
      for problem in outcome.problems {
        runtime.environment.log.warning(
          "part of the inbox was skipped", ["cause": .text(problem)])
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

  /// Probes the store after a failed append: the disk may accept writes again although there is nothing to write.
  private func probeStore() async {
    guard let store = runtime.store, case .failing = store.status else { return }
    _ = try? await BlockingThread(named: "rewards.probe").run { store.probe() }
    // A command may have met the failure first, and nothing is written while it lasts.
    guard case .failing(let cause) = store.status else { return }
    if health.noteFailure("\(cause)") {
      runtime.environment.log.error(
        "the ledger cannot be written", ["cause": .text("\(cause)")])
    }
  }

  /// Ends the troubles of closes that waited for an operator and are now made.
  private func settleGuards() async {
    let waiting = troubles.subjects(of: .guarded)
    if waiting.isEmpty { return }
    let closes = await runtime.writer.read { $0.ledger.closes }
    for subject in waiting {
      guard let place = ZoneDay(subject), let last = closes[place.zone]?.last.day,
        last >= place.day
      else { continue }
      troubles.end(.guarded, of: subject)
    }
  }

  /// Voids what was seen after the new present when the clock was set back.
  private func goBack(to now: Instant, bySeconds seconds: Int64) async {
    runtime.environment.log.warning(
      "the clock was set back; polls from after now are void", ["now": .text(now.description)])
    await LookMemory(runtime.writer).void(after: now)
    jobs.forgetRetries()
    polls.forgetPlans()
    plan.withLock { $0.forgetPlans() }
    streakWatch?.forgetPlans()
    // A smaller step delays deliveries by no more than itself, and each attempt counts.
    if seconds > HeldClock.toleranceSeconds { await relay.noteClockSetBack() }
  }

  private func runHousekeeping(_ now: Instant) async {
    guard plan.withLock({ $0.isHousekeepingDue(now) }) else { return }
    await runtime.saveState()
    await inputs.reloadTimeZones()
  }

  private func dueJobs() async -> [JobFire] {
    let (fires, failure) = await jobs.claimDueFires()
    if let failure {
      health.noteFailure("\(failure)")
      runtime.environment.log.error(
        "a missed run could not be recorded", ["cause": .text("\(failure)")])
    }
    return fires
  }

  /// Returns when the next work is due.
  private func nextWork() async -> Instant {
    var next = plan.withLock { $0.nextInbox }
    if let look = polls.next { next = min(next, look) }
    if let job = await jobs.nextBegin() { next = min(next, certainly(job)) }
    if let warning = streakWatch?.next { next = min(next, certainly(warning)) }
    return next
  }

  /// Returns when to attend to what is due at `instant`; if only a clock in doubt shows it due, that is a little later.
  private func certainly(_ instant: Instant) -> Instant {
    let (now, certain) = (runtime.clock.now(), runtime.clock.certain())
    return instant > certain && instant <= now
      ? now.adding(seconds: Self.askAgainSeconds) : instant
  }

  private static let askAgainSeconds: Int64 = 15
}
