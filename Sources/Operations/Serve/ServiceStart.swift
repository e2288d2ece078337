import Configuration
import Foundations
import LedgerStore
import LinuxShims
import Scheduling

extension Service {
  /// Starts a service on an opened runtime: reads the jobs and opens the sinks.
  ///
  /// Throws when a job file or a sink cannot be used.
  package static func start(_ runtime: Runtime, signals: ServiceSwitch) async throws -> Service {
    try await ServiceStart(runtime: runtime).start(signals)
  }
}

/// Assembles a service: its jobs, and its sinks, which start delivering.
struct ServiceStart: Sendable {
  let runtime: Runtime

  /// Returns the service, not running yet; see ``Service/start(_:signals:)``.
  func start(_ signals: ServiceSwitch) async throws -> Service {
    let log = runtime.environment.log
    // Fail at the start rather than at the first fire in the night.
    let jobs = try await ServiceInputs.readJobs(runtime)
    if runtime.store == nil {
      log.info("nothing is written, and no job is run")
    } else if !jobs.contains(where: { $0.isEnabled }) {
      log.warning(
        "no job is enabled, so no day will be closed; put nightly-reconciliation.json into the jobs folder",
        ["jobs": .text(runtime.configuration.jobs)])
    }
    let ledger = runtime.store?.report.ledger ?? ""
    let troubles = await Troubles.restore(
      runtime.directory, ledger: ledger, clock: runtime.environment.clock)
    let relay = try await Relay(runtime, troubles)
    let service = Service(
      runtime: runtime, signals: signals,
      jobs: JobRunner(runtime, jobs: jobs, troubles: troubles), relay: relay, troubles: troubles)
    runtime.tail.withLock { tail in
      tail.listener = { relay.noteCommit() }
    }
    runtime.store?.whenLost { signals.wake() }
    // Reading may have used many times the memory that is kept.
    linux_return_free_memory()
    // In the background, so that a sink with much to catch up delays nothing.
    relay.start()
    runtime.relay.set(relay)
    if runtime.poller == nil {
      log.warning(
        "no credentials for the API are configured: streams, watches and gifts are left out")
    }
    return service
  }
}
