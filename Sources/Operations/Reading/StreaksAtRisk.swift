public import CivilTime
public import Configuration
import Digests
import Engine
import Ledger
import LedgerStore
import RewardRules
import Scheduling
import Threading

/// Users whose streak is not safe on their running day. Read from the disk beside a service or without one.
public struct StreaksAtRisk: Sendable {
  /// A streak that breaks when the day ends, should nothing more happen.
  public struct Streak: Sendable {
    /// The user.
    public let user: String
    /// The zone in which the day ends.
    public let zone: String
    /// The running day.
    public let day: Day
    /// When it ends.
    public let end: Instant
    /// How long the streak is.
    public let length: Int32
    /// Up to when it is known that nothing has counted on the day.
    public let knownThrough: Instant
  }

  /// The streaks of `length` at least, those first whose day ends first; of days that end within `seconds` only, where that
  /// is said. Throws ``LedgerStore/LedgerError`` or ``Configuration/SecretError``.
  public static func read(
    _ configuration: Configuration, _ environment: RuntimeEnvironment, length: Int32,
    within seconds: Int64?
  ) async throws -> [Streak] {
    let directory = configuration.directory
    let terms = try EngineTerms(configuration, variables: environment.variables)
    let state = try await StateReading.read(directory)
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
