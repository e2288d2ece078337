package import CivilTime
package import Configuration
import Foundations
import Ledger
import LedgerStore
import RewardRules
package import Scheduling

/// Checks the data folder: the end of the ledger, the clock against it, and the request rate against the users. Changes nothing.
package struct DataCheckup: Sendable {
  private let configuration: Configuration
  private let zones: any ZoneSource
  private let clock: any ServiceClock
  private let variables: [String: String]
  private let commands: JobCommands?

  /// Creates a checkup of this configuration's data.
  package init(
    _ configuration: Configuration, variables: [String: String], zones: any ZoneSource,
    clock: any ServiceClock, commands: JobCommands?
  ) {
    self.commands = commands
    self.configuration = configuration
    self.variables = variables
    self.zones = zones
    self.clock = clock
  }

  /// Returns one finding per subject, or a single one when there is no ledger yet or it cannot be read.
  package func findings() async -> [DoctorFinding] {
    let state: LedgerState
    let directory = configuration.directory
    do {
      let report = try await LedgerReading.verify(directory, heads: [])
      if let damage = report.damage.first, !report.isIntact {
        return [
          DoctorFinding(
            "ledger", .failed, "\(damage)",
            remedy:
              "rewards ledger verify lists all damage; restore a backup with rewards ledger restore DIR"
          )
        ]
      }
      state = try await StateReading.read(LedgerReading.open(directory))
    } catch let error as LedgerError where error.kind == .missing {
      return [
        DoctorFinding(
          "ledger", .attention, "there is none yet",
          remedy: "rewards users import or rewards serve creates one")
      ]
    } catch {
      return [
        DoctorFinding(
          "ledger", .failed, "\(error)", remedy: "check it with rewards ledger verify")
      ]
    }
    return [
      ledger(state), clock(state), draws(state),
      await RateCheckup(configuration, now: clock.now()).finding(directory, state),
      unknownZones(state), rules(state), limits(state), await signers(state),
      sourcesInForce(state), jobs(), await inbox(),
    ]
    .compactMap { $0 } + (await sources())
  }

  private func ledger(_ state: LedgerState) -> DoctorFinding {
    let users = state.accounts.count(where: \.isPresent)
    return DoctorFinding("ledger", .well, "\(state.seq) records, \(users) users, last \(state.at)")
  }

  /// Compares what one person may give with what is configured; nil where both agree.
  private func limits(_ state: LedgerState) -> DoctorFinding? {
    let proposed = configuration.approval
    if proposed == state.handLimits { return nil }
    let waits = !state.accounts.isEmpty && proposed.allowMore(than: state.handLimits)
    return Self.other(
      "limits", "\(state.handLimits)", in: state, waiting: waits ? .limits(proposed) : nil)
  }

  /// Compares whose signatures count with the configured file; nil where both agree.
  private func signers(_ state: LedgerState) async -> DoctorFinding? {
    do {
      let configured = try await configuration.readSigners()
      let isProposal = configured != nil && state.accounts.isEmpty
      if configured == state.signers || isProposal { return nil }
      let known = state.signerNames.joined(separator: ", ")
      return Self.other(
        "signers", known.isEmpty ? "none" : known, in: state,
        waiting: configured.map { .signers($0) })
    } catch {
      return DoctorFinding(
        "signers", .failed, "\(error)",
        remedy: "correct the file; until then those of the ledger count")
    }
  }

  /// Compares what programs may hand in with what is configured; nil where both agree.
  private func sourcesInForce(_ state: LedgerState) -> DoctorFinding? {
    let (proposed, known) = (configuration.sources.map(\.terms), state.sources ?? [])
    if state.accounts.isEmpty || proposed == known { return nil }
    return Self.other(
      "sources", known.text, in: state,
      waiting: proposed.allowMore(than: known) ? .sources(proposed) : nil)
  }

  /// Returns that something else is in force than the configuration proposes, which perhaps waits for two people.
  private static func other(
    _ name: String, _ inForce: String, in state: LedgerState, waiting act: BigAct?
  ) -> DoctorFinding {
    DoctorFinding(
      name, act == nil ? .well : .attention,
      "those of the ledger are in force, not those of the configuration: \(inForce)",
      remedy: act.map {
        let mark = state.requests.all[$0.id]
        if mark?.isDeclined == true {
          return
            "the request \($0.id) was declined: correct the configuration, or ask again with rewards approve \($0.id)"
        }
        return mark?.isWaiting == true
          ? "the request \($0.id) waits: rewards approvals says who may approve it"
          : "once a command or the service has recorded the request \($0.id), rewards approvals says who may approve it"
      })
  }

  private func clock(_ state: LedgerState) -> DoctorFinding {
    let now = clock.now()
    switch ClockGuard(maxIdleDays: configuration.maxIdleDays).assess(now, state: state) {
    case .right:
      let directory = configuration.directory
      guard let objection = Runtime.clockObjection(clock, in: directory, after: state) else {
        return DoctorFinding("clock", .well, "\(now)")
      }
      return DoctorFinding(
        "clock", .attention, "\(now): \(objection)", remedy: RuntimeError.clockRemedy)
    case .behind(let last):
      return DoctorFinding(
        "clock", .failed, "\(now) is before the ledger's last record \(last)",
        remedy: "correct the clock, or, if it was ahead before, run rewards doctor --undo-future")
    case .ahead(let last):
      return DoctorFinding(
        "clock", .failed,
        "\(now) is more than \(configuration.maxIdleDays) days after the ledger's last record \(last)",
        remedy: "if it is right, confirm it: rewards doctor --accept-clock")
    }
  }

  /// Checks the draw secret. Nil when it cannot be fetched, which another finding reports, or when the ledger names none yet.
  private func draws(_ state: LedgerState) -> DoctorFinding? {
    guard let known = state.drawKey,
      let secret = try? configuration.resolveDrawSecret(environment: variables)
    else { return nil }
    let fingerprint = DrawSecret(secret.bytes).fingerprint
    guard fingerprint == known else {
      return DoctorFinding(
        "draws", .failed,
        "the draw secret (fingerprint \(fingerprint)) is not this ledger's (\(known))",
        remedy: "set drawSecret to the secret with which the ledger was created")
    }
    return DoctorFinding("draws", .well, "the draw secret is this ledger's (\(known))")
  }

  /// Checks the inbox. Nil while it is complete.
  private func inbox() async -> DoctorFinding? {
    let gap = InboxGap(configuration.directory)
    do {
      guard let since = try await BlockingThread(named: "rewards.inbox").run({ try gap.since() })
      else { return nil }
      return DoctorFinding(
        "inbox", .attention,
        "a backup of \(since) was restored; inbox lines received since then may be missing, so days stay unknown",
        remedy:
          "re-submit them with rewards ingest FILE --after-restore (an empty file if there were none)"
      )
    } catch {
      return DoctorFinding("inbox", .failed, "\(error)", remedy: "make the folder readable")
    }
  }

  /// Checks whether the sources have said how far they are complete. Empty where the inbox does not wait for that.
  private func sources() async -> [DoctorFinding] {
    guard configuration.inbox.requireWatermark,
      let zone = try? zones.zone(named: configuration.api.timeZone)
    else { return [] }
    var findings: [DoctorFinding] = []
    for source in configuration.sources where !source.terms.kinds.isEmpty {
      let name = "source \(source.name)"
      do {
        let inbox = InboxFolder(configuration.directory, of: source.terms, naiveZone: zone)
        let through = try await inbox.completeThrough(by: clock.now())
        findings.append(
          through.map { DoctorFinding(name, .well, "complete through \($0)") }
            ?? DoctorFinding(
              name, .attention, "it has never handed in completeThrough, so days stay unknown",
              remedy: "let it say how far it is complete: rewards help inbox"))
      } catch {
        findings.append(
          DoctorFinding(name, .failed, "\(error)", remedy: "make its inbox readable"))
      }
    }
    return findings
  }

  /// Checks the configured rules. Nil where the ledger uses them, or may start to.
  private func rules(_ state: LedgerState) -> DoctorFinding? {
    // Another finding reports a file that is wrong in itself.
    guard let loaded = try? RulesFiles.load(configuration).map(\.document) else { return nil }
    do {
      _ = try RulesUse.fresh(of: loaded, in: state)
      guard loaded.contains(where: \.isBuiltIn), let known = state.rules.documents.last?.version,
        known != RulesDocument.builtIn.version
      else { return nil }
      return DoctorFinding(
        "rules in use", .well,
        "the ledger goes on with its own, \(known); rewards help rules says how to put newer ones into use"
      )
    } catch {
      return DoctorFinding(
        "rules in use", .failed, "\(error)", remedy: "correct the document; see rewards help rules")
    }
  }

  private func jobs() -> DoctorFinding {
    do {
      let jobs = try JobFolder.all(configuration, zones: zones).filter(\.isEnabled)
      for job in jobs { _ = try JobAction(of: job, commands) }
      guard jobs.isEmpty else {
        return DoctorFinding("job files", .well, jobs.map(\.name).joined(separator: ", "))
      }
      return DoctorFinding(
        "job files", .attention,
        "no job is enabled in \(configuration.jobs): no day will be closed",
        remedy: "put nightly-reconciliation.json there")
    } catch {
      return DoctorFinding("job files", .failed, "\(error)", remedy: "correct the file")
    }
  }

  private func unknownZones(_ state: LedgerState) -> DoctorFinding {
    let unknown = Set(state.accounts.filter(\.isPresent).map { state.zone(of: $0) }).filter {
      (try? zones.zone(named: $0)) == nil
    }
    guard !unknown.isEmpty else { return DoctorFinding("users' zones", .well, "all are known") }
    return DoctorFinding(
      "users' zones", .failed,
      "unknown to this machine: \(unknown.sorted().joined(separator: ", ")); their users are not judged",
      remedy: "update tzdata, or set $TZDIR to a database that has them")
  }
}
