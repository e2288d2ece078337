import CivilTime
import Ledger
import LedgerStore
import NotificationRelay
import RewardRules
import Scheduling
import Threading

extension Service {
  /// A service at an opened workplace: reads the roster and the jobs, and opens the sinks.
  ///
  /// Throws when a job file or a sink cannot be used. A roster with mistakes is taken as far as it is good.
  public static func start(_ workplace: Workplace, signals: ServiceSwitch) async throws -> Service {
    let configuration = workplace.configuration
    let surroundings = workplace.surroundings
    let jobs = try JobFolder.read(configuration.jobs, zones: surroundings.zones)
    for job in jobs where job.isEnabled {
      // Said at the start rather than at the first fire in the night.
      _ = try JobAction(of: job)
    }
    if !jobs.contains(where: { $0.isEnabled }) {
      surroundings.log.warning(
        "no job is enabled, so no day will be closed; put nightly-reconciliation.json into the jobs folder",
        ["jobs": .text(configuration.jobs)])
    }
    let pumps = try await openSinks(workplace)
    let service = Service(
      workplace: workplace, signals: signals, jobs: JobRunner(workplace, jobs: jobs), pumps: pumps
    )
    workplace.tail.withLock { tail in
      tail.listener = { records, head in
        for pump in pumps { Task { await pump.take(records, head: head) } }
      }
    }
    // Beside the service: a sink that has much to catch up with holds nobody up.
    for pump in pumps { Task { await pump.deliver() } }
    if workplace.visitor == nil {
      surroundings.log.warning(
        "no credentials for the API are configured: streams, watches and gifts are left out")
    }
    return service
  }

  /// Reads users, rules, credentials and time zones again; what cannot be read stays as it was.
  func reload() async {
    let log = workplace.surroundings.log
    do {
      let loaded = try RulesFiles.load(workplace.configuration.rules).map(\.document)
      let known = await workplace.clerk.read { $0.book.documents }
      let draws = await workplace.clerk.read { $0.context.draws }
      let added = try await workplace.clerk.use(RuleBook(known + loaded), draws: draws)
      log.info("rules read again", ["new": .number(added)])
      try workplace.api?.reload(workplace.configuration, workplace.surroundings)
    } catch {
      log.error(
        "rules or credentials could not be read again; the old ones stay",
        ["cause": .text("\(error)")])
    }
    await takeTimeZones()
    takeJobs()
    await takeRoster()
  }

  /// Reads the job files again; with a mistake in one the old ones stay.
  private func takeJobs() {
    let log = workplace.surroundings.log
    do {
      let folder = workplace.configuration.jobs
      let read = try JobFolder.read(folder, zones: workplace.surroundings.zones)
      for job in read where job.isEnabled { _ = try JobAction(of: job) }
      jobs.take(read)
      log.info("jobs read again", ["jobs": .number(read.count)])
    } catch {
      log.error("the jobs could not be read again; the old ones stay", ["cause": .text("\(error)")])
    }
  }

  /// Takes a newer time zone database into use, and tells whose open days it changes.
  func takeTimeZones() async {
    let surroundings = workplace.surroundings
    do {
      guard let effect = try await workplace.clerk.takeTimeZones(surroundings.reloadZones) else {
        return
      }
      surroundings.log.warning(
        "a new time zone database is in use",
        ["tzdata": .text(surroundings.zones.version), "users": .number(effect.users)])
      for day in effect.days {
        surroundings.log.warning(
          "a day has another window now",
          [
            "zone": .text(day.zone), "day": .text(day.after.day.description),
            "was": .text("\(day.before.start) to \(day.before.end)"),
            "is": .text("\(day.after.start) to \(day.after.end)"), "users": .number(day.users),
          ])
      }
    } catch {
      surroundings.log.error(
        "a new time zone database could not be recorded", ["cause": .text("\(error)")])
    }
  }

  /// Records the rules and reads the roster, once the clock is known to be right; returns whether that could be written.
  func begin() async -> Bool {
    do {
      try await workplace.putRulesIntoUse()
    } catch {
      workplace.surroundings.log.error(
        "the rules could not be recorded", ["cause": .text("\(error)")])
      health.noteFailure("\(error)")
      return false
    }
    await takeRoster()
    return true
  }

  private func takeRoster() async {
    let log = workplace.surroundings.log
    let path = workplace.configuration.users
    do {
      let roster = RosterFile(try WholeFile.read(path, limitBytes: 1 << 30))
      let receipt = try await workplace.clerk.take(
        roster, defaultZone: workplace.configuration.defaultTimeZone, revives: false)
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

  private static func openSinks(_ workplace: Workplace) async throws -> [RelayPump] {
    // A service that writes nothing delivers nothing.
    guard let store = workplace.store else { return [] }
    var pumps: [RelayPump] = []
    for sink in workplace.configuration.relay {
      guard case .file(let path) = sink.kind else {
        workplace.surroundings.log.warning(
          "this version does not deliver to sinks of this kind; their events wait in the ledger",
          ["sink": .text(sink.name)])
        continue
      }
      let folder = workplace.directory.relay(sink: sink.name)
      try await BlockingThread(named: "rewards.sinks").run {
        _ = try PosixFileSystem().makeFolder(folder)
      }
      let file = try FileSink(path: path, folder: folder, ledger: store.report.ledger)
      pumps.append(RelayPump(sink: file, store: store))
    }
    return pumps
  }
}
