import AuditPage
import CivilTime
package import Configuration
import Foundations
import Ledger
import LedgerStore
package import NotificationRelay
import RewardRules
import Scheduling

/// Reads the documents of the app's store, as a witness of what users have.
package enum StoreWitness {
  /// How one store compares with the ledger.
  package struct Report: Sendable {
    /// The sink that writes to the store.
    package let sink: String
    /// The readings of all users who have not left, in the order of the ledger.
    package let readings: [StoreReading]
  }

  /// Compares the documents of every configured store with the ledger, up to its last seal. Throws when there is no ledger, or a
  /// sink cannot be used.
  package static func read(
    _ configuration: Configuration, _ environment: RuntimeEnvironment
  ) async throws -> [Report] {
    var reports: [Report] = []
    for sink in configuration.relay {
      guard case .firestore(let store) = sink.kind else { continue }
      reports.append(try await read(store, of: sink, configuration, environment))
    }
    return reports
  }

  private static func read(
    _ store: Configuration.Sink.Store, of sink: Configuration.Sink, _ configuration: Configuration,
    _ environment: RuntimeEnvironment
  ) async throws -> Report {
    let directory = configuration.directory
    let users = RelayUsers(
      roster: configuration.users, sink: sink.name, in: directory, writer: nil,
      zones: environment.zones, log: environment.log)
    await users.reload()
    let receiver = try Receivers.store(
      store, of: sink, at: directory, environment, users: users, isWriter: false)
    // The sink's progress is read first: what it has settled by then is in the ledger that is read next.
    let progress = try await BlockingThread(named: "rewards.witness").run {
      try SinkFolder(sink.name, in: directory).progress()
    }
    let state = try await StateReading.read(LedgerReading.open(directory))
    let now = environment.clock.now()
    let expected = state.accounts.indices.lazy.map { state.account(at: $0) }
      .filter { $0.isPresent && sink.terms.events.wantsAccount(of: $0.id) }
      .compactMap { account -> StoreExpectation? in
        guard let balance = state.balance(of: account.id),
          let current = state.currentEarnings(of: account.id, at: now, in: environment.zones)
        else { return nil }
        return StoreExpectation(
          user: account.id, current: current, balance: balance, waits: account.late != nil)
      }
    let isCurrent = progress.cursor.seq >= state.seq
    let readings = await receiver.compare(Array(expected), at: now).map { reading in
      let isBehind = progress.behind[Lane(.account, user: reading.user)] != nil
      return isCurrent && !isBehind ? reading.settled : reading
    }
    return Report(sink: sink.name, readings: readings)
  }
}

extension StoreWitness {
  /// Returns the check that reports findings of all stores.
  static func check(_ reports: [Report], _ list: FindingList) -> AuditReport.Check {
    var list = list
    for report in reports {
      for reading in report.readings where reading.isFinding {
        list.add(
          AuditReport.Finding(
            "\(report.sink), \(reading.state.rawValue): \(reading.text)", user: reading.user))
      }
    }
    var check = AuditReport.Check(
      20, "app's store", examined: reports.reduce(0) { $0 + $1.readings.count }, list)
    check.note = reports.map { "\($0.sink): \(text(of: counts(of: $0)))" }.joined(separator: "; ")
    return check
  }

  /// Returns the figures of a store at `now`.
  static func drift(of report: Report, at now: Instant) -> AuditFigures.StoreDrift {
    AuditFigures.StoreDrift(
      sink: report.sink, at: now, users: report.readings.count,
      states: counts(of: report).map(\.state.rawValue), counts: counts(of: report).map(\.count),
      points: report.readings.reduce(Int64(0)) { $0.addingSaturated($1.points) })
  }

  private static func counts(of report: Report) -> [(state: StoreReading.State, count: Int)] {
    StoreReading.State.allCases.map { state in
      (state, report.readings.count { $0.state == state })
    }
  }

  private static func text(of counts: [(state: StoreReading.State, count: Int)]) -> String {
    let told = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.state.rawValue)" }
    return told.isEmpty ? "no users" : told.joined(separator: ", ")
  }
}
