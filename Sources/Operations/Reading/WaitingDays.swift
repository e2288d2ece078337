import AuditReport
public import CivilTime
public import Configuration
import Engine
import Ledger
import LedgerStore
import Scheduling
import Threading

/// Closed days of users whose facts came late: a backfill would change something.
public struct WaitingDays: Sendable, Equatable {
  /// How many days of how many users, each user's counted.
  public private(set) var count = 0
  /// The earliest instant of the facts for which they wait; nil when none does.
  public private(set) var since: Instant?

  /// From the first of them to the last; nil when none does.
  public private(set) var span: ClosedRange<Day>?

  /// No day waits.
  public init() {}

  /// How many wait, in words.
  public var text: String { AuditReport.Waiting(count: count, since: since).text }

  /// Adds the days of one user that lie in `range`, or all; the timeline needs a history.
  mutating func add(_ timeline: Timeline, now: Instant, within range: ClosedRange<Day>? = nil) {
    let days = PastReview(timeline, now: now).waitingDays.filter { range?.contains($0) ?? true }
    guard let first = days.first else { return }
    count += days.count
    // Facts from before the first of them have been brought in.
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
  /// Facts for everybody, corrected rules or an excuse, are followed up for so many users at most outside of an audit: of more
  /// only those who have late facts of their own are looked at.
  private static let usersAtMost = 2_000

  /// The waiting days of one user. Throws ``LedgerStore/LedgerError``, ``RuntimeError`` or
  /// ``Configuration/SecretError``.
  public static func read(
    of user: String, _ configuration: Configuration, _ environment: RuntimeEnvironment
  ) async throws -> WaitingDays {
    try await read(of: [user], configuration, environment)
  }

  /// The waiting days of those whom late facts concern and whom `order` is about: a night asks for each zone once, not for
  /// everybody once in each zone.
  static func read(_ runtime: Runtime, for order: ReconcileOrder) async throws -> WaitingDays {
    let users = await runtime.writer.scan { state in
      concerned(by: state.ledger) { account in
        order.users.isEmpty
          ? order.isAbout(state.ledger.zone(of: account))
          : order.users.contains(account.id)
      }
    }
    return try await read(of: users, runtime.configuration, runtime.environment)
  }

  /// The waiting days of everybody whom late facts concern by the ledger. Throws as ``read(of:_:_:)-(String,_,_)`` does.
  public static func read(
    _ configuration: Configuration, _ environment: RuntimeEnvironment
  ) async throws -> WaitingDays {
    let state = try await StateReading.read(configuration.directory)
    return try await read(of: concerned(by: state) { _ in true }, configuration, environment)
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
    of users: Set<String>, _ configuration: Configuration, _ environment: RuntimeEnvironment
  ) async throws -> WaitingDays {
    if users.isEmpty { return WaitingDays() }
    return try await BlockingThread(named: "rewards.waiting").run {
      let reading = SharedReading(
        reader: try LedgerReader.open(configuration.directory),
        configuration: configuration, environment: environment)
      return try reading.read(WaitingGathering(now: environment.clock.now()), of: users).days
    }
  }
}

private struct WaitingGathering: PastGathering {
  let now: Instant
  private(set) var days = WaitingDays()

  init(now: Instant) { self.now = now }

  mutating func examine(_ timeline: Timeline) { days.add(timeline, now: now) }
  mutating func merge(_ other: WaitingGathering) { days.merge(other.days) }
}
