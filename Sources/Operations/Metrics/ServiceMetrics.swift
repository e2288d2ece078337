import CheerAPI
import CivilTime
import Configuration
import Evidence
package import Foundations
import HTTPClient
import Ledger
import LedgerStore
import NotificationRelay
import RewardRules
import Scheduling

extension Service {
  /// Returns all metrics, labelled with the shard's number when there are several ledgers. Uses neither the disk nor the
  /// writer, so it answers whatever they do.
  package func metrics(_ format: Exposition.Format) async -> Exposition {
    await ServiceMetrics(service: self, runtime: runtime).page(format)
  }
}

/// The metrics page of a running service.
private struct ServiceMetrics {
  let service: Service
  let runtime: Runtime

  func page(_ format: Exposition.Format) async -> Exposition {
    var page = Exposition(
      format, label: runtime.configuration.shardID.map { ("shard", "\($0.number)") })
    addService(await service.readiness(), to: &page)
    addLedger(to: &page)
    if let counters = runtime.api?.api.counters { Self.add(counters, to: &page) }
    Self.add(
      await service.relay.figures, runtime.figures.withLock { $0 }, clock: runtime.clock, to: &page)
    return page
  }

  private func addService(_ state: ServiceHealth.State, to page: inout Exposition) {
    let (zones, now) = (runtime.environment.zones, runtime.clock.now())
    page.gauge(
      "rewards_build_info", "1; the label is the program's version.",
      [(["version": ProgramVersion.text], 1)])
    page.gauge(
      "rewards_tzdata_info", "1; the label is the time zone database's version.",
      [(["version": zones.version], 1)])
    if let built = zones.builtAt {
      page.gauge(
        "rewards_tzdata_age_seconds", "Age of the time zone database.",
        Double(max(0, now.seconds(since: built))))
    }
    page.gauge(
      "rewards_granting", "1 while the service grants, as /readyz says.",
      state.reason == nil ? 1 : 0)
    page.gauge(
      "rewards_not_granting", "1 for each cause that keeps the service from granting.",
      [
        (["cause": "clock"], state.clock == nil ? 0 : 1),
        (["cause": "ledger"], state.writing == nil ? 0 : 1),
        (["cause": "inbox"], state.inbox == nil ? 0 : 1),
        (["cause": "api"], state.api == nil ? 0 : 1),
      ])
    page.gauge(
      "rewards_clock_parted_seconds", "Drift of the wall clock from the boot clock.",
      Double(runtime.heldClock.differenceSeconds ?? 0))
    page.gauge(
      "rewards_troubles", "Current troubles, by kind.",
      Troubles.Kind.allCases.map {
        (["kind": $0.word], Double(service.troubles.subjects(of: $0).count))
      })
    page.gauge(
      "rewards_users", "Accounts in the ledger, including removed users.",
      Double(service.polls.users))
    page.gauge(
      "rewards_looks_waiting", "Users whose next poll is scheduled.",
      Double(service.polls.waiting))
  }

  /// Returns one value for each name, ordered by name.
  private static func rows(
    _ label: String, _ values: [String: some BinaryInteger]
  ) -> [(labels: Exposition.Labels, value: Double)] {
    values.sorted { $0.key < $1.key }.map { ([label: $0.key], Double($0.value)) }
  }

  private func addLedger(to page: inout Exposition) {
    let figures = runtime.figures.withLock { $0 }
    page.counter(
      "rewards_records_total", "Records committed since the start, by type.",
      figures.records.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { (["type": $0.key.rawValue], Double($0.value)) })
    page.counter(
      "rewards_grants_total", "Grants and adjustments committed, by mission.",
      Self.rows("mission", figures.grants))
    page.counter(
      "rewards_points_given_total", "Points given by grants.", Double(figures.given.points))
    page.counter(
      "rewards_points_taken_total", "Points taken by adjustments and reversals.",
      Double(figures.taken.points))
    page.counter("rewards_exp_given_total", "Exp given.", Double(figures.given.exp))
    page.counter("rewards_exp_taken_total", "Exp taken.", Double(figures.taken.exp))
    page.counter(
      "rewards_verdicts_total", "Verdicts of closed days.",
      Self.rows("verdict", figures.verdicts))
    page.counter(
      "rewards_unknown_user_days_total", "Unknown verdicts of closed days, by kind and cause.",
      figures.unknowns.sorted { ($0.key.kind, $0.key.cause) < ($1.key.kind, $1.key.cause) }
        .map { (["kind": $0.key.kind, "cause": $0.key.cause], Double($0.value)) })
    page.counter(
      "rewards_streaks_total", "Streaks broken, held, excused or repaired.",
      Self.rows("what", figures.streaks))
    page.counter(
      "rewards_job_runs_total", "Job runs, by outcome.",
      figures.runs.sorted { ($0.key.job, $0.key.outcome) < ($1.key.job, $1.key.outcome) }
        .map { (["job": $0.key.job, "outcome": $0.key.outcome], Double($0.value)) })
    page.gauge(
      "rewards_job_lateness_seconds", "Lateness of each job's last run.",
      Self.rows("job", figures.lateness))
    guard let store = runtime.store else { return }
    let statistics = store.statistics
    page.gauge("rewards_ledger_head", "The ledger's last sealed line.", Double(store.head.seq))
    page.gauge(
      "rewards_ledger_writable", "1 while appends reach the disk.", store.isReady ? 1 : 0)
    page.counter(
      "rewards_ledger_commits_total", "Batches that reached the disk.", Double(statistics.commits))
    page.counter(
      "rewards_ledger_failures_total", "Batches that failed to reach the disk.",
      Double(statistics.failures))
    page.histogram(
      "rewards_ledger_commit_seconds", "Time for a batch to reach the disk.",
      statistics.commitSeconds)
    page.histogram(
      "rewards_ledger_sync_seconds", "Time for a batch's fdatasync.", statistics.syncSeconds
    )
  }

  private static func add(_ counters: CheerCounters, to page: inout Exposition) {
    let routes =
      counters.routes.sorted { $0.key.name < $1.key.name }.map { ($0.key.name, $0.value) }
      + [("login", counters.login)]
    page.counter(
      "rewards_api_requests_total", "Requests to the app's API, by route.",
      routes.map { (["route": $0.0], Double($0.1.requestCount)) })
    page.counter(
      "rewards_api_failures_total", "Failed calls to the app's API, including those not sent.",
      routes.flatMap { name, route in
        route.failureCounts.sorted { $0.key.rawValue < $1.key.rawValue }
          .map { (["route": name, "cause": $0.key.rawValue], Double($0.value)) }
      })
    page.histogram(
      "rewards_api_request_seconds", "Time until the app's API answered.",
      routes.map { (["route": $0.0], $0.1.answerSeconds) })
    page.counter(
      "rewards_api_retries_total", "Retries of requests to the app's API.",
      Double(counters.retryCount))
    page.counter(
      "rewards_api_unchanged_total", "Answers that the app's API declared unchanged.",
      Double(counters.unchangedCount))
    page.counter(
      "rewards_api_credentials_expired_total", "Users whose credentials expired.",
      Double(counters.expiredCount))
    page.gauge(
      "rewards_api_breaker", "1 for the circuit breaker's current state.",
      ["closed", "open", "probing"].map {
        (["state": $0], counters.breaker.rawValue == $0 ? 1 : 0)
      })
  }

  private static func add(
    _ sinks: [(name: String, figures: SinkFigures)], _ commits: CommitFigures,
    clock: any ServiceClock, to page: inout Exposition
  ) {
    func gauge(_ name: String, _ help: String, _ value: (SinkFigures) -> Double) {
      page.gauge(name, help, sinks.map { (["sink": $0.name], value($0.figures)) })
    }
    func counter(_ name: String, _ help: String, _ value: (SinkFigures) -> Int) {
      page.counter(name, help, sinks.map { (["sink": $0.name], Double(value($0.figures))) })
    }
    counter("rewards_relay_delivered_total", "Events delivered over the sink's lifetime.") {
      $0.progress.delivered
    }
    counter("rewards_relay_failures_total", "Failed attempts over the sink's lifetime.") {
      $0.progress.failures
    }
    gauge("rewards_relay_dead_letters", "Events given up after the last attempt.") {
      Double($0.progress.deadLetters)
    }
    gauge("rewards_relay_backlog_lines", "Ledger lines after the sink's cursor.") {
      Double($0.head - min($0.head, $0.cursor))
    }
    gauge("rewards_relay_lag_seconds", "Age of the first ledger line after the sink's cursor.") {
      guard $0.cursor < $0.head, let at = commits.firstCommit(after: $0.cursor) else { return 0 }
      return Double(max(0, clock.now().seconds(since: at)))
    }
    gauge("rewards_relay_users_behind", "Users whose events wait for a retry or for room.") {
      Double($0.lanesBehind)
    }
    gauge("rewards_relay_events_in_memory", "Events in memory.") { Double($0.entries) }
    gauge("rewards_relay_circuit_open", "1 while only single probes are sent.") {
      $0.isOpen ? 1 : 0
    }
    gauge("rewards_relay_paused", "1 while the sink is paused.") {
      $0.isPaused ? 1 : 0
    }
    page.histogram(
      "rewards_relay_delivery_seconds", "Time for a shipment, including failed ones.",
      sinks.map { (["sink": $0.name], $0.figures.deliverySeconds) })
  }
}

extension Troubles.Kind {
  /// The word for it in metrics.
  fileprivate var word: String { self == .guarded ? "guard" : rawValue }
}
