import CheerAPI
import CivilTime
import Configuration
import Foundations
import Ledger
import Scheduling

/// The inputs that a running service rereads: rules, users, jobs, credentials and time zones.
///
/// When one cannot be read again, the old one stays and that is logged.
struct ServiceInputs: Sendable {
  let runtime: Runtime
  let jobs: JobRunner

  /// Reads rules, credentials, time zones and jobs again; keeps the old ones where that fails.
  func reload() async {
    let log = runtime.environment.log
    do {
      let added = try await runtime.proposeConfigured(by: runtime.environment.actor)
      log.info("rules reloaded", ["new": .number(added)])
      let runtime = runtime
      try await BlockingThread(named: "rewards.credentials").run {
        try runtime.api?.reload(runtime.configuration, runtime.environment)
      }
    } catch {
      log.error(
        "rules or credentials could not be reloaded; the old ones stay in use",
        ["cause": .text("\(error)")])
    }
    await reloadTimeZones()
    await reloadJobs()
  }

  /// Returns the jobs of the configured folder to run; throws when a file cannot be used, or an enabled job cannot be run.
  ///
  /// A dry run has no jobs: they start programs and write files, and the service that holds the ledger already runs them.
  static func readJobs(_ runtime: Runtime) async throws -> [Job] {
    let (configuration, zones) = (runtime.configuration, runtime.environment.zones)
    let jobs = try await BlockingThread(named: "rewards.jobs").run {
      try JobFolder.read(configuration, zones: zones)
    }
    let commands = runtime.environment.commands
    for job in jobs where job.isEnabled { _ = try JobAction(of: job, commands) }
    return runtime.store == nil ? [] : jobs
  }

  /// Reads the job files again; keeps the old jobs when there is a mistake.
  private func reloadJobs() async {
    let log = runtime.environment.log
    do {
      let read = try await Self.readJobs(runtime)
      jobs.replaceJobs(with: read)
      log.info("jobs reloaded", ["jobs": .number(read.count)])
    } catch {
      log.error(
        "the jobs could not be reloaded; the old ones stay in use", ["cause": .text("\(error)")])
    }
  }

  /// Starts using a newer time zone database, and logs the open days that it changes.
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
          "a day's window has changed",
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

  /// Reads the roster; returns false while the clock is in doubt, because users join and move as of the present.
  func readRoster() async -> Bool {
    if runtime.clock.isInDoubt { return false }
    let log = runtime.environment.log
    let path = runtime.configuration.users
    do {
      let roster = try await BlockingThread(named: "rewards.roster").run {
        [configuration = runtime.configuration] in
        RosterFile(
          try configuration.files.readInput(path, limitBytes: 1 << 30),
          of: { configuration.holds($0) })
      }
      runtime.api?.api.setAPIUsers(roster.apiUsers)
      let receipt = try await RosterImport(runtime.writer).run(
        roster, defaultZone: runtime.configuration.defaultTimeZone, revives: false,
        by: Door.roster.rawValue)
      if let waiting = receipt.waiting {
        log.warning(
          "opening balances or ended days of the roster wait for a second person",
          ["file": .text(path), "users": .number(receipt.held), "cause": .text("\(waiting)")])
      }
      for problem in receipt.problems {
        log.warning(
          "a roster line was refused", ["file": .text(path), "cause": .text("\(problem)")])
      }
      log.info(
        "roster read",
        [
          "added": .number(receipt.added), "moved": .number(receipt.moved),
          "unchanged": .number(receipt.unchanged),
        ])
      await warnOfMissingCredentials()
      await warnOfUnnamedPseudonyms()
    } catch let error as ReadError where error.isMissing {
      log.warning(
        "there is no roster file; import users with rewards users import", ["file": .text(path)])
    } catch {
      log.error("the roster could not be read", ["file": .text(path), "cause": .text("\(error)")])
    }
    return true
  }

  /// Logs how many users cannot be polled because the roster no longer says who they are at the API.
  private func warnOfUnnamedPseudonyms() async {
    guard let api = runtime.api?.api else { return }
    let users = await runtime.writer.scan { state in
      state.ledger.accounts.filter {
        $0.isPresent && !api.canName($0.id, isPseudonym: $0.isPseudonym)
      }.map(\.id)
    }
    if users.isEmpty { return }
    runtime.environment.log.warning(
      "the roster has no apiUser for some pseudonyms; their days stay unknown",
      ["users": .number(users.count), "first": .text(users.prefix(3).joined(separator: ", "))])
  }

  /// Logs how many users cannot be polled because the credentials file leaves them out.
  private func warnOfMissingCredentials() async {
    // A token of the whole service is everybody's.
    guard runtime.configuration.api.credentials != nil, let api = runtime.api?.api else { return }
    let users = await runtime.writer.scan { state in
      state.ledger.accounts.filter { $0.isPresent && !api.hasCredential(for: $0.id) }.map(\.id)
    }
    if users.isEmpty { return }
    runtime.environment.log.warning(
      "the credentials file has no line for some users; their days stay unknown",
      ["users": .number(users.count), "first": .text(users.prefix(3).joined(separator: ", "))])
  }
}
