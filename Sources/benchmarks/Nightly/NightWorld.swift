import CivilTime
import Evidence
import Foundations
import Ledger
import LedgerStore
import Scheduling

/// Users of one zone, a writer with everything on disk, and an API that answers at once: a night without the network.
///
/// Three users in ten do something every day. All days end at the same instant, which is the maximum work at once.
struct NightWorld {
  static let zone = "Asia/Tokyo"
  static let connections = 64
  /// The first day, in days since 1970.
  static let firstDay: Int64 = 20_777
  private static let midnight = Instant(seconds: firstDay * 86_400 - 32_400)

  let users: Int
  let writer: LedgerWriter
  let looks: LookJournal
  private let clock: SetClock
  private let poller: Poller
  private let day = Lock(Int64(0))

  /// Returns a clock at the beginning of the world's first day; the ledger uses it too, whatever the machine shows.
  static func makeClock() -> SetClock { SetClock(at: midnight) }

  /// Creates a world on the ledger `store` in `directory`, with all users imported as their first day begins.
  init(users: Int, store: LedgerStore, directory: DataDirectory, clock: SetClock) async throws {
    self.users = users
    self.clock = clock
    looks = LookJournal(directory)
    writer = try await BenchmarkWriter.make(ledger: store, clock: clock)
    poller = Poller(
      api: PromptAPI(clock: clock), writer: writer,
      intake: LookIntake(writer, keeping: looks, past: NoPast()), clock: clock)
    let roster = (0..<users).map {
      #"{"user":"n\#(1_000_000 + $0)","timezone":"\#(Self.zone)"}"# + "\n"
    }
    let receipt = try await RosterImport(writer).run(
      RosterFile(Array(roster.joined().utf8)), defaultZone: "UTC", by: "benchmark")
    guard receipt.added == users else {
      throw PeerFailure(what: "\(receipt.added) users were imported instead of \(users)")
    }
  }

  /// Polls the first `count` users a minute before the day ends.
  func evening(count: Int) async throws {
    clock.set(to: day.withLock { Self.midnight.adding(seconds: ($0 + 1) * 86_400 - 60) })
    let round = try await poller.poll(0..<count, width: Self.connections)
    guard round.failures.isEmpty, round.problems.isEmpty, round.looks == 3 * count else {
      throw PeerFailure(what: "the evening failed: \(round.looks) looks, \(round.failures)")
    }
  }

  /// The result of a night and the durations of its two parts.
  struct Night {
    let visiting: Elapsed
    let closing: Elapsed
    let looks: Int
    let records: Int
  }

  /// Runs the nightly reconciliation half a minute after midnight: polls what is open, judges, closes the day.
  func night() async throws -> Night {
    let end = day.withLock { day in
      day += 1
      return Self.midnight.adding(seconds: day * 86_400)
    }
    clock.set(to: end.adding(seconds: 30))
    // The program beside the service has declared the inbox complete, so no day is unknown for lack of it.
    await writer.read { [clock] state in
      state.restore(inboxThrough: end.adding(seconds: 20), now: clock.now())
    }
    let visitWatch = Stopwatch()
    let round = try await poller.poll(0..<users, width: Self.connections)
    let visiting = visitWatch.elapsed
    let closeWatch = Stopwatch()
    var records = round.counts.appended
    let closer = DayCloser(writer, guarding: MassBreakGuard())
    for due in await closer.due(endedBy: clock.now(), zones: nil, through: nil) {
      let report = try await closer.close(due, isConfirmed: false, actor: "benchmarks")
      guard case .closed(let closed) = report, closed.users == users, closed.unknown == 0 else {
        throw PeerFailure(what: "the close is not what it should be: \(report)")
      }
      records += closed.counts.appended
    }
    return Night(
      visiting: visiting, closing: closeWatch.elapsed, looks: round.looks, records: records)
  }
}

/// A clock that shows the time it was set to.
final class SetClock: ServiceClock {
  private let instant: Lock<Instant>

  init(at instant: Instant) { self.instant = Lock(instant) }

  func set(to instant: Instant) { self.instant.withLock { $0 = instant } }
  func now() -> Instant { instant.withLock { $0 } }
  func sleep(until instant: Instant) async throws {}
  func sleep(seconds: Double) async throws {}
  func beginWork() {}
  func endWork() {}
}

/// An empty past, for a world in which nothing comes late.
struct NoPast: PastReading {
  struct NotNeeded: Error {}
  func pasts(of users: Set<String>) async throws -> LedgerState { throw NotNeeded() }
}

/// An API that answers at once: users whose number ends in 0, 1 or 2 watched a stream at noon, and the others did nothing.
private struct PromptAPI: ActivityAPI {
  let clock: SetClock

  func look(at route: Source, user: String) async -> Look {
    let now = clock.now()
    let isActive = user.utf8.last.map { $0 < UInt8(ascii: "3") } ?? false
    guard isActive, route == .watchedStreams else {
      return Look(route: route, at: now, outcome: .answered([], refused: []))
    }
    // Includes all evenings so far: a complete list must keep what it contained before.
    let last = now.seconds / 86_400
    let activities = (NightWorld.firstDay...max(NightWorld.firstDay, last)).map { day in
      let from = Instant(seconds: day * 86_400 + 12 * 3_600)
      return Activity(kind: .watch, from: from, to: from.adding(seconds: 1_800))
    }
    return Look(route: route, at: now, outcome: .answered(activities, refused: []))
  }
}
