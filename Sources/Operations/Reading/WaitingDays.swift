import AuditPage
package import CivilTime
package import Configuration
import Engine
import Foundations
import Ledger
package import LedgerStore
import Scheduling

/// Closed days that a backfill would change because facts came late.
package struct WaitingDays: Sendable, Equatable {
  /// The number of user-days.
  package private(set) var count = 0
  /// The earliest time of the facts they wait for; nil when no day waits.
  package private(set) var since: Instant?

  /// The days from the first to the last of them; nil when no day waits.
  package private(set) var span: ClosedRange<Day>?

  /// Creates an empty result: no day waits.
  package init() {}

  /// The number of waiting days, in words.
  package var text: String { AuditReport.Waiting(count: count, since: since).text }

  /// Adds the days of one user that lie in `range`, or all of them; the timeline needs a history.
  mutating func add(_ timeline: Timeline, now: Instant, within range: ClosedRange<Day>? = nil) {
    let days = PastReview(timeline, now: now).waitingDays.filter { range?.contains($0) ?? true }
    guard let first = days.first else { return }
    count += days.count
    // Facts from before the first of them are already applied.
    let start = timeline.history?.days.first { $0.day == first }?.window.window.start
    let from = max(timeline.account.late?.from ?? .earliest, start ?? .earliest)
    since = min(since ?? from, from)
    for day in days { extend(to: day...day) }
  }

  private mutating func extend(to days: ClosedRange<Day>) {
    span =
      min(
        span?.lowerBound ?? days.lowerBound, days.lowerBound)...max(
        span?.upperBound ?? days.upperBound, days.upperBound)
  }

  mutating func merge(_ other: WaitingDays) {
    count += other.count
    if let from = other.since { since = min(since ?? from, from) }
    if let days = other.span { extend(to: days) }
  }
}

extension WaitingDays {
  /// The number of users up to which facts for everyone (corrected rules, an outage or pardon) are followed up outside
  /// an audit. Beyond it, only users with late facts of their own are examined.
  private static let usersAtMost = 2_000

  /// Reads the waiting days of one user. Throws ``LedgerStore/LedgerError``, ``RuntimeError`` or
  /// ``Configuration/SecretError``.
  package static func read(
    of user: String, in ledger: LedgerReader, _ configuration: Configuration,
    _ environment: RuntimeEnvironment
  ) async throws -> WaitingDays {
    try await BlockingThread(named: "rewards.waiting").run {
      try read(of: [user], ledger, configuration, environment)
    }
  }

  /// Reads the waiting days of users with late facts in the scope of `order`. A night reads each zone once, rather than
  /// all users for each zone.
  static func read(_ runtime: Runtime, for order: ReconcileOrder) async throws -> WaitingDays {
    let users = await runtime.writer.scan { state in
      concerned(by: state.ledger) { account in
        order.users.isEmpty
          ? order.isAbout(state.ledger.zone(of: account))
          : order.users.contains(account.id)
      }
    }
    if users.isEmpty { return WaitingDays() }
    return try await BlockingThread(named: "rewards.waiting").run {
      try read(
        of: users, LedgerReader.open(runtime.directory), runtime.configuration,
        runtime.environment)
    }
  }

  /// Reads the waiting days of everyone whom late facts concern by `state`, which is that at the head of `reader`.
  /// Blocks.
  static func read(
    _ reader: LedgerReader, _ state: LedgerState, _ configuration: Configuration,
    _ environment: RuntimeEnvironment
  ) throws -> WaitingDays {
    try read(of: concerned(by: state) { _ in true }, reader, configuration, environment)
  }

  private static func concerned(
    by ledger: LedgerState, where isWanted: (Account) -> Bool
  ) -> Set<String> {
    let accounts = ledger.accounts
    let all = accounts.indices.filter {
      ledger.hasLateFacts(accounts[$0]) && isWanted(accounts[$0])
    }
    let some = all.count > usersAtMost ? all.filter { accounts[$0].late != nil } : all
    return Set(some.map { accounts[$0].id })
  }

  private static func read(
    of users: Set<String>, _ reader: LedgerReader, _ configuration: Configuration,
    _ environment: RuntimeEnvironment
  ) throws -> WaitingDays {
    if users.isEmpty { return WaitingDays() }
    let reading = SharedReading(
      reader: reader, configuration: configuration, environment: environment)
    return try reading.read(WaitingGathering(now: environment.clock.now()), of: users).days
  }
}

private struct WaitingGathering: PastGathering {
  let now: Instant
  private(set) var days = WaitingDays()

  init(now: Instant) { self.now = now }

  mutating func examine(_ timeline: Timeline) { days.add(timeline, now: now) }
  mutating func merge(_ other: WaitingGathering) { days.merge(other.days) }
}
