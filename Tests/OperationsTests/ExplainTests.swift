import AuditPage
import CivilTime
import Engine
import Evidence
import Failures
import Ledger
import LedgerStore
import Operations
import RewardRules
import Scheduling
import TestSupport
import Testing

/// Why there is a grant, and why there is none.
@Suite(.offThePool) struct ExplainTests {
  private static let roster = "{\"user\":\"ann\",\"timezone\":\"UTC\"}\n"

  private func ingest(_ kind: String, _ at: String, _ runtime: Runtime) async throws {
    let line = "{\"user\":\"ann\",\"kind\":\"\(kind)\",\"at\":\"\(at)\"}\n"
    _ = try await Ingestion(runtime).run(Array(line.utf8), name: "\(kind)-\(at).jsonl")
  }

  /// A comment on the 10th, nothing on the 11th, a comment today, the 12th; a share of the 11th that came late.
  private func place(late: String? = "share") async throws -> TestPlace {
    let place = try TestPlace()
    try await place.at("2026-11-10T00:00:00Z") { runtime in
      try await runtime.hire(Self.roster)
    }
    try await place.at("2026-11-10T12:00:00Z") {
      try await ingest("comment", "2026-11-10T11:00:00Z", $0)
    }
    for day in 11...12 {
      try await place.at("2026-11-\(day)T00:30:00Z") {
        _ = try await Reconciliation($0, ReconcileOrder()).run()
      }
    }
    try await place.at("2026-11-12T12:00:00Z") {
      try await ingest("comment", "2026-11-12T11:00:00Z", $0)
      if let late { try await ingest(late, "2026-11-11T11:00:00Z", $0) }
    }
    return place
  }

  private func explain(
    _ place: TestPlace, _ user: String = "ann", day: Int, hour: Int64 = 13
  ) async throws -> Explanation {
    let midnight = try InstantText.parse("2026-11-12T00:00:00Z").instant
    let clock = FixedClock(at: midnight.adding(seconds: hour * 3_600))
    let explainer = Explainer(try place.configuration(), place.environment(clock))
    return try await explainer.explain(
      user, Day(number: 20_757 + Int32(day)), in: LedgerReader.open(place.directory))
  }

  private func keys(_ explanation: Explanation) -> [String] {
    explanation.records.compactMap {
      if case .grant(let grant) = $0.record.body { grant.key } else { nil }
    }
  }

  @Test func aClosedDayShowsItsGrantsWithTheirSeals() async throws {
    let explanation = try await explain(try await place(), day: 10)
    #expect(explanation.day.isClosed && explanation.day.window.zone == "UTC")
    #expect(explanation.day.facts.verdict(.comment) == .met)
    #expect(keys(explanation).sorted() == ["ann/2026-11-10/comment", "ann/2026-11-10/login"])
    for item in explanation.records { #expect(item.seal.seq > item.record.seq) }
    #expect(explanation.trace.contains { $0.mission == "comment" })
    #expect(explanation.missions.first == "login" && explanation.missions.contains("stream"))
    #expect(
      explanation.deliveries.count == 2 && explanation.deliveries.allSatisfy { !$0.isDelivered })
  }

  @Test func aBrokenStreakShowsTheDayThatBrokeIt() async throws {
    let explanation = try await explain(try await place(), day: 11)
    #expect(explanation.day.outcome.streakClass == .missed)
    #expect(explanation.day.outcome.streakAfter.length == 0)
    #expect(keys(explanation) == [])
    // The share that came late is in the ledger, but the day was closed without it.
    #expect(explanation.day.facts.verdict(.share) == .notMet)
    let evidence = explanation.records.filter { $0.record.body.type == .evidence }
    #expect(evidence.count == 1)
  }

  @Test func anOpenDayIsJudgedByWhatIsKnownNow() async throws {
    let explanation = try await explain(try await place(), day: 12)
    #expect(!explanation.day.isClosed)
    #expect(explanation.day.facts.verdict(.comment) == .met)
    #expect(keys(explanation).contains("ann/2026-11-12/comment"))
  }

  /// The day on which a user leaves is never closed; what was granted of it stands, and is explained.
  @Test func theDayOfLeavingIsExplained() async throws {
    let place = try await place()
    _ = try await place.at("2026-11-12T12:30:00Z") {
      try await RosterImport($0.writer).remove(
        user: "ann", reason: "left", by: "tests")
    }
    for hour in [13, 40] as [Int64] {
      let explanation = try await explain(place, day: 12, hour: hour)
      #expect(!explanation.day.isClosed && explanation.isDayOfLeaving)
      #expect(explanation.day.facts.verdict(.comment) == .met)
      #expect(keys(explanation).contains("ann/2026-11-12/comment"))
    }
  }

  @Test func afterABackfillTheDayIsExplainedWithIt() async throws {
    let place = try await place()
    let day = Day(number: 20_757 + 11)
    try await place.at("2026-11-12T12:30:00Z") { runtime in
      let plan = try await BackfillPlanner(runtime.configuration, runtime.environment).plan(
        BackfillOrder(days: day...day), in: LedgerReader.open(place.directory))
      _ = try await BackfillApplication(runtime).apply(plan, by: "tests")
    }
    let explanation = try await explain(place, day: 11)
    #expect(explanation.day.facts.verdict(.share) == .met)
    #expect(explanation.day.outcome.streakAfter.length == 2)
    #expect(keys(explanation).contains("ann/2026-11-11/share"))
  }

  /// A pardoned day holds the streak; that a backfill did so does not make it another kind of day.
  @Test func aPardonedDayIsExcusedInTheTimeline() async throws {
    let place = try await place(late: nil)
    try await place.at("2026-11-12T12:30:00Z") { runtime in
      let day = Day(number: 20_757 + 11)
      let pardon = ExcuseRecord(from: day, to: day, reason: "r", actor: "op")
      try await runtime.writer.append(.excuse(pardon))
      let plan = try await BackfillPlanner(runtime.configuration, runtime.environment).plan(
        BackfillOrder(days: day...day), in: LedgerReader.open(place.directory))
      _ = try await BackfillApplication(runtime).apply(plan, by: "tests")
    }
    let day = Day(number: 20_757 + 11)
    let report = try await UserReport.read(
      LedgerReader.open(place.directory), of: "ann", .init(from: day, to: day),
      zones: place.environment(FixedClock(at: .earliest)).zones)
    #expect(report.timeline.days.map(\.streak) == ["excused"])
  }

  /// A login of the 10th that came late makes the 11th the second day of the streak, though no fact of the 11th itself came late.
  @Test func aDayWaitsForWhatFollowsFromAnEarlierOne() async throws {
    let place = try TestPlace()
    try await place.at("2026-11-10T00:00:00Z") { try await $0.hire(Self.roster) }
    try await place.at("2026-11-11T12:00:00Z") {
      try await ingest("login", "2026-11-11T11:00:00Z", $0)
    }
    try await place.at("2026-11-12T00:30:00Z") {
      _ = try await Reconciliation($0, ReconcileOrder()).run()
    }
    try await place.at("2026-11-12T12:00:00Z") {
      try await ingest("login", "2026-11-10T11:00:00Z", $0)
    }
    for day in 10...11 {
      let explanation = try await explain(place, day: day)
      #expect(explanation.waiting?.since == Day(number: 20_757 + 10), "day \(day)")
    }
    #expect(try await explain(place, day: 12).waiting == nil)
    let audit = Audit(
      try place.configuration(),
      place.environment(FixedClock(at: try InstantText.parse("2026-11-12T13:00:00Z").instant)))
    #expect(try await audit.run().waiting.count == 2)
  }

  /// A pardon of a day that was seen changes nothing: it does not wait because another one does.
  @Test func aDayOnWhichNothingWouldChangeDoesNotWait() async throws {
    let place = try await place()
    try await place.at("2026-11-12T12:30:00Z") { runtime in
      let day = Day(number: 20_757 + 10)
      try await runtime.writer.append(
        .excuse(ExcuseRecord(from: day, to: day, users: ["ann"], reason: "r", actor: "op")))
    }
    #expect(try await explain(place, day: 10).waiting == nil)
    #expect(try await explain(place, day: 11).waiting?.since == Day(number: 20_757 + 11))
    let waiting = try await WaitingDays.read(
      of: "ann", in: LedgerReader.open(place.directory), place.configuration(),
      place.environment(FixedClock(at: try InstantText.parse("2026-11-12T13:00:00Z").instant)))
    #expect(waiting.count == 1)
    #expect(waiting.since == (try InstantText.parse("2026-11-11T00:00:00Z").instant))
  }

  @Test func whatCannotBeExplainedSaysWhy() async throws {
    let place = try await place()
    await #expect(throws: Failure.unknownUser("eve")) { try await explain(place, "eve", day: 10) }
    let early = await #expect(throws: Failure.self) { try await explain(place, day: 9) }
    #expect(early?.cause == "the user was not judged on 2026-11-09")
    #expect(early?.remedy?.contains("2026-11-10") == true)
    let future = await #expect(throws: Failure.self) { try await explain(place, day: 14) }
    #expect(future?.cause == "2026-11-14 has not begun for the user")
    #expect(future?.remedy == "It is 2026-11-12 in UTC.")
  }
}
