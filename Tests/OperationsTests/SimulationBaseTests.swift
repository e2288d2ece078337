import CivilTime
import Configuration
import Engine
import Foundations
import RewardRules
import Scheduling
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerStore
@testable import Operations

/// A simulation goes on from a snapshot where one is old enough, and says what it would say from the beginning.
@Suite(.offThePool) struct SimulationBaseTests {
  private func day(_ number: Int) -> Day { Day("2026-11-\(number)")! }

  /// The healthy scene, with facts that came late on the way, and a plan that brought them in.
  private func place() async throws -> TestPlace {
    let place = try await AuditScene.healthy()
    try await place.at("2026-11-17T01:00:00Z") { runtime in
      let lines = ["u3", "u4", "u5"].map {
        "{\"user\":\"\($0)\",\"kind\":\"purchase\",\"at\":\"2026-11-12T12:00:00Z\"}\n"
      }
      _ = try await Ingestion(runtime).run(Array(lines.joined().utf8), name: "late.jsonl")
      let planner = BackfillPlanner(runtime.configuration, runtime.environment)
      let plan = try await planner.plan(
        BackfillOrder(days: day(10)...day(13), protection: .everything),
        in: LedgerReader.open(place.directory))
      _ = try await BackfillApplication(runtime).apply(plan, by: "tests")
    }
    try place.write(
      "new.json",
      """
      {"version": "new", "effectiveFrom": "2024-01-01", "corrects": "builtin-2",
       "missions": {"comment": {"points": 7, "exp": 90}, "purchase": {"points": 40, "exp": 50}}}
      """)
    return place
  }

  private func report(_ place: TestPlace, _ days: ClosedRange<Day>) async throws -> String {
    let clock = FixedClock(at: try InstantText.parse("2026-11-18T01:00:00Z").instant)
    let report = try await Simulation(place.configuration(), place.environment(clock)).run(
      try RulesFiles.read("\(place.path)/new.json"), on: days,
      in: LedgerReader.open(place.directory))
    let missions = report.was.keys.sorted().map {
      "\($0) \(String(describing: report.was[$0])) \(String(describing: report.would[$0]))"
    }
    return """
      \(missions) \(report.userDays) \(report.users) \(report.changed) \(report.heldBack)
      \(report.levels) \(report.items) \(report.winners) \(report.losers)
      """
  }

  /// Whatever its snapshot holds: days that it has forgotten, facts that came late for them, users who came later.
  @Test func whereverItBeginsItSaysTheSame() async throws {
    let place = try await place()
    let ranges = [day(10)...day(15), day(12)...day(13), day(14)...day(15)]
    var whole: [String] = []
    for days in ranges { whole.append(try await report(place, days)) }
    #expect(Set(whole).count == ranges.count)
    let records = try LedgerFacts(place.directory).records
    let seals = records.filter { $0.body.type == .seal }.map(\.seq)
    for seq in stride(from: 1, to: seals.count, by: 3).map({ seals[$0] }) {
      try AuditScene.writeSnapshot(place, at: seq, recordedAt: Instant(seconds: Int64(seq)))
      for (days, expected) in zip(ranges, whole) {
        #expect(try await report(place, days) == expected, "from \(seq), \(days)")
      }
    }
  }

  /// What lies before the snapshot is not read: a state that is another one shows.
  @Test func itBeginsAtTheNewestSnapshotThatIsOldEnough() async throws {
    let place = try await place()
    let records = try LedgerFacts(place.directory).records
    // A day before the first one asked for is over everywhere: it may have begun somewhere.
    let end = try InstantText.parse("2026-11-13T00:00:00Z").instant
    let close = try #require(records.last { $0.body.type == .close && $0.at < end })
    let seal = try #require(records.first { $0.body.type == .seal && $0.seq > close.seq })
    let whole = try await report(place, day(14)...day(15))
    try AuditScene.writeSnapshot(place, at: seal.seq, recordedAt: close.at) {
      for index in $0.users.accounts.indices { $0.users.accounts[index].state.level = 37 }
    }
    #expect(try await report(place, day(14)...day(15)).contains("level: 37"))
    // Not old enough for days that had begun somewhere.
    let earlier = try await report(place, day(13)...day(15))
    #expect(!earlier.contains("level: 37"))
    try place.remove("data/state")
    #expect(try await report(place, day(14)...day(15)) == whole)
  }
}
