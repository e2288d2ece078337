import CivilTime
import Ledger
import LedgerStore
import NotificationRelay
import RewardRules
import Scheduling
import Threading

extension Service {
  /// A service at an opened runtime: reads the roster and the jobs, and opens the sinks.
  ///
  /// Throws when a job file or a sink cannot be used. A roster with mistakes is taken as far as it is good.
  public static func start(_ runtime: Runtime, signals: ServiceSwitch) async throws -> Service {
    let configuration = runtime.configuration
    let environment = runtime.environment
    let jobs = try JobFolder.read(configuration.jobs, zones: environment.zones)
    for job in jobs where job.isEnabled {
      // Said at the start rather than at the first fire in the night.
      _ = try JobAction(of: job)
    }
    if !jobs.contains(where: { $0.isEnabled }) {
      environment.log.warning(
        "no job is enabled, so no day will be closed; put nightly-reconciliation.json into the jobs folder",
        ["jobs": .text(configuration.jobs)])
    }
    let pumps = try await openSinks(runtime)
    let service = Service(
      runtime: runtime, signals: signals, jobs: JobRunner(runtime, jobs: jobs), pumps: pumps
    )
    runtime.tail.withLock { tail in
      tail.listener = { for pump in pumps { pump.noteCommit() } }
    }
    // Beside the service: a sink that has much to catch up with holds nobody up.
    for pump in pumps { Task { await pump.run() } }
    if runtime.poller == nil {
      environment.log.warning(
        "no credentials for the API are configured: streams, watches and gifts are left out")
    }
    return service
  }

  /// Reads users, rules, credentials and time zones again; what cannot be read stays as it was.
  func reload() async {
    let log = runtime.environment.log
    do {
      let loaded = try RulesFiles.load(runtime.configuration.rules).map(\.document)
      let added = try await RulesUse(runtime.writer).put(loaded)
      log.info("rules read again", ["new": .number(added)])
      try runtime.api?.reload(runtime.configuration, runtime.environment)
    } catch {
      log.error(
        "rules or credentials could not be read again; the old ones stay",
        ["cause": .text("\(error)")])
    }
    await reloadTimeZones()
    reloadJobs()
    await readRoster()
  }

  /// Reads the job files again; with a mistake in one the old ones stay.
  private func reloadJobs() {
    let log = runtime.environment.log
    do {
      let folder = runtime.configuration.jobs
      let read = try JobFolder.read(folder, zones: runtime.environment.zones)
      for job in read where job.isEnabled { _ = try JobAction(of: job) }
      jobs.take(read)
      log.info("jobs read again", ["jobs": .number(read.count)])
    } catch {
      log.error("the jobs could not be read again; the old ones stay", ["cause": .text("\(error)")])
    }
  }

  /// Takes a newer time zone database into use, and tells whose open days it changes.
  func reloadTimeZones() async {
    let environment = runtime.environment
    do {
      guard
        let effect = try await TimeZoneUse(runtime.writer).reload(
          environment.reloadZones)
      else {
        return
      }
      environment.log.warning(
        "a new time zone database is in use",
        ["tzdata": .text(environment.zones.version), "users": .number(effect.users)])
      for day in effect.days {
        environment.log.warning(
          "a day has another window now",
          [
            "zone": .text(day.zone), "day": .text(day.after.day.description),
            "was": .text("\(day.before.start) to \(day.before.end)"),
            "is": .text("\(day.after.start) to \(day.after.end)"), "users": .number(day.users),
          ])
      }
    } catch {
      environment.log.error(
        "a new time zone database could not be recorded", ["cause": .text("\(error)")])
    }
  }

  /// Records the rules and reads the roster, once the clock is known to be right; returns whether that could be written.
  func begin() async -> Bool {
    do {
      try await runtime.putRulesIntoUse()
    } catch {
      runtime.environment.log.error(
        "the rules could not be recorded", ["cause": .text("\(error)")])
      health.noteFailure("\(error)")
      return false
    }
    await readRoster()
    return true
  }

  private func readRoster() async {
    let log = runtime.environment.log
    let path = runtime.configuration.users
    do {
      let roster = RosterFile(try WholeFile.read(path, limitBytes: 1 << 30))
      let receipt = try await RosterImport(runtime.writer).run(
        roster, defaultZone: runtime.configuration.defaultTimeZone, revives: false)
      for problem in receipt.problems {
        log.warning(
          "a line of the roster was refused", ["file": .text(path), "cause": .text("\(problem)")])
      }
      log.info(
        "roster read",
        [
          "added": .number(receipt.added), "moved": .number(receipt.moved),
          "unchanged": .number(receipt.unchanged),
        ])
    } catch let error as ReadError where error.isMissing {
      log.warning(
        "there is no roster file; users come by rewards users import", ["file": .text(path)])
    } catch {
      log.error("the roster could not be read", ["file": .text(path), "cause": .text("\(error)")])
    }
  }

  private static func openSinks(_ runtime: Runtime) async throws -> [RelayPump] {
    // A service that writes nothing delivers nothing.
    guard let store = runtime.store else { return [] }
    var pumps: [RelayPump] = []
    for sink in runtime.configuration.relay {
      guard case .file(let path) = sink.kind else {
        runtime.environment.log.warning(
          "this version does not deliver to sinks of this kind; their events wait in the ledger",
          ["sink": .text(sink.name)])
        continue
      }
      let folder = runtime.directory.relay(sink: sink.name)
      try await BlockingThread(named: "rewards.sinks").run {
        _ = try PosixFileSystem().makeFolder(folder)
      }
      let file = try FileSink(path: path, folder: folder, ledger: store.report.ledger)
      pumps.append(RelayPump(sink: file, store: store))
    }
    return pumps
  }
}
