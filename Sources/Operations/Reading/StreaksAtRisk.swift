package import CivilTime
package import Configuration
import Digests
import Engine
import Foundations
import Ledger
package import LedgerStore
import RewardRules
import Scheduling

/// Streaks that are not yet safe on the users' current day. Read from disk, with or without a running service.
package struct StreaksAtRisk: Sendable {
  /// A streak that breaks at the end of the day if nothing more happens.
  package struct Streak: Sendable {
    /// The user.
    package let user: String
    /// The zone whose day ends.
    package let zone: String
    /// The current day.
    package let day: Day
    /// When it ends.
    package let end: Instant
    /// The length of the streak.
    package let length: Int32
    /// The time up to which it is known that nothing has counted on the day.
    package let knownThrough: Instant
  }

  /// Returns the streaks of at least `length`, ordered by the end of their day; with `seconds`, only those whose day ends within
  /// that time. Throws ``LedgerStore/LedgerError`` or ``Configuration/SecretError``.
  package static func read(
    _ ledger: LedgerReader, _ configuration: Configuration, _ environment: RuntimeEnvironment,
    length: Int32, within seconds: Int64?
  ) async throws -> [Streak] {
    let directory = configuration.directory
    let terms = try EngineTerms(configuration, variables: environment.variables)
    let state = try await StateReading.read(ledger)
    let (clock, now) = (environment.clock, environment.clock.now())
    let nothing = InMemoryLedger(
      after: LedgerHead(seq: state.seq, hash: .zero), keepsRecords: false, now: { now })
    let working = try await BlockingThread(named: "rewards.looks").run {
      var working = WorkingState(state, terms: terms, zones: environment.zones, clock: clock)
      try LookJournal(directory).restore(&working, now: now)
      return working
    }
    let writer = LedgerWriter(working, ledger: nothing)
    let last = seconds.map { now.adding(seconds: $0) } ?? .latest
    return await StreakWarnings.all(by: writer, length: length).compactMap { user, risk in
      guard risk.window.end <= last else { return nil }
      return Streak(
        user: user, zone: risk.window.zone, day: risk.window.day, end: risk.window.end,
        length: risk.streak.length, knownThrough: min(risk.knownThrough, now))
    }
  }
}
