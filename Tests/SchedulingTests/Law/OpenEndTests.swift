import CivilTime
import Engine
import Evidence
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// Activities whose end nobody tells, when rules differ in how long they believe them.
@Suite(.offThePool) struct OpenEndTests {
  private func fixture(_ documents: [RulesDocument]) async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z", rules: documents[0])
    _ = try await RulesUse(fixture.writer).record(documents, by: "test")
    try await fixture.hire(#"{"user":"ann","timezone":"UTC"}"#)
    return fixture
  }

  private func unknown(_ fixture: SchedulerFixture) -> [ActivityKind] {
    fixture.records.compactMap { record in
      if case .unknown(let unknown) = record.body { unknown.mission } else { nil }
    }
  }

  private func rules(
    _ version: String, openEndHours: Int, counts: String = "overlaps", from: String = "2024-01-01",
    corrects: String? = nil
  ) throws -> RulesDocument {
    let text = """
      {"version": "\(version)", "effectiveFrom": "\(from)",
       \(corrects.map { "\"corrects\": \"\($0)\"," } ?? "")
       "activity": {"openEndHours": \(openEndHours), "counts": "\(counts)"}}
      """
    return try RulesDocument.parse(Array(text.utf8)).get()
  }

  /// Two days of a user whose stream begins on the evening of the first and never ends.
  private func endlessStream(_ rules: RulesDocument...) async throws -> SchedulerFixture {
    let fixture = try await fixture(rules)
    let begin = try SchedulerFixture.instant("2026-11-10T20:00:00Z")
    for instant in ["2026-11-11T00:20:00Z", "2026-11-11T06:00:00Z", "2026-11-12T00:20:00Z"] {
      try fixture.set(instant)
      await fixture.noteInbox()
      let stream = Activity(
        kind: .stream, from: begin, to: fixture.clock.now().adding(seconds: -10), isOpen: true)
      try await fixture.look(at: "ann", stream: .answered([stream], refused: []))
      try await fixture.closeAll()
    }
    return fixture
  }

  /// While nobody knows whether the clock is right a stream has surely gone on up to the last instant that has surely
  /// come.
  @Test(
    arguments: [(0, ["10", "11"]), (1_180, ["10", "11"]), (1_200, ["10"]), (50_000, ["10"])]
      as [(Int64, [String])])
  func aClockInDoubtLetsNothingGoOn(unsureSeconds: Int64, days: [String]) async throws {
    let fixture = try await fixture([rules("a", openEndHours: 12)])
    try fixture.set("2026-11-11T00:20:00Z")
    fixture.clock.doubt(bySeconds: unsureSeconds)
    let stream = Activity(
      kind: .stream, from: try SchedulerFixture.instant("2026-11-10T20:00:00Z"),
      to: fixture.clock.now(), isOpen: true)
    _ = try await fixture.look(at: "ann", stream: .answered([stream], refused: []))
    let granted = days.map { "ann/2026-11-\($0)/stream" }
    #expect(fixture.records.grants.map(\.key).filter { $0.hasSuffix("stream") } == granted)
    let proved = await fixture.writer.read {
      $0.looks[0][.lastStream].coverage.coveredThrough(from: stream.from)
    }
    #expect(proved == max(stream.from, fixture.clock.certain().adding(seconds: -10)))
  }

  /// A poll that was sent while the clock was ahead comes in once it has been set right.
  @Test func aLookOfAFutureProvesNothingOfIt() async throws {
    let fixture = try await fixture([rules("a", openEndHours: 12)])
    try fixture.set("2026-11-13T00:20:00Z")
    let ahead = fixture.clock.now()
    try fixture.set("2026-11-10T23:00:00Z")
    let stream = Activity(
      kind: .stream, from: try SchedulerFixture.instant("2026-11-10T20:00:00Z"), to: ahead,
      isOpen: true)
    let look = Look(route: .lastStream, at: ahead, outcome: .answered([stream], refused: []))
    _ = try await fixture.intake.add([look], of: 0)
    let evidence = fixture.records.compactMap { record in
      if case .evidence(let seen) = record.body { seen.activity.to } else { nil }
    }
    #expect(evidence == [fixture.clock.now().adding(seconds: -10)])
    let seen = await fixture.writer.read { $0.looks[0][.lastStream].newestLook }
    #expect(seen == fixture.clock.now())
  }

  /// Each document says for itself how long a stream is believed to go on whose end nobody tells.
  @Test func correctedHoursOfAnOpenEndReachClosedDays() async throws {
    let (first, second) = ("ann/2026-11-10/stream", "ann/2026-11-11/stream")
    let long = try rules("a", openEndHours: 12)
    let fixture = try await endlessStream(long)
    #expect(fixture.records.net[first]?.points == 30 && fixture.records.net[second]?.points == 30)
    let short = try rules("b", openEndHours: 2, corrects: "a")
    try await fixture.use(long, short)
    try await fixture.backfill(plan: "p", clawsBack: true)
    #expect(fixture.records.net[first]?.points == 30 && fixture.records.net[second] == nil)
    #expect(await fixture.plans(plan: "q", clawsBack: true).flatMap(\.records) == [])
    try await fixture.use(long, short, try rules("c", openEndHours: 12, corrects: "b"))
    try await fixture.backfill(plan: "r", clawsBack: true)
    #expect(fixture.records.net[first]?.points == 30 && fixture.records.net[second]?.points == 30)
    #expect(await fixture.plans(plan: "s", clawsBack: true).flatMap(\.records) == [])
  }

  /// What was not believed when it was seen is not in the ledger; the day after is unknown by it, and stays so.
  @Test func hoursOfAnOpenEndThatWereTooFewLeaveDaysUnknown() async throws {
    let short = try rules("a", openEndHours: 2)
    let fixture = try await endlessStream(short)
    #expect(fixture.records.net["ann/2026-11-11/stream"] == nil)
    try await fixture.use(short, try rules("b", openEndHours: 12, corrects: "a"))
    try await fixture.backfill(plan: "p", clawsBack: true)
    #expect(fixture.records.net["ann/2026-11-11/stream"] == nil)
    #expect(unknown(fixture) == [.stream])
    #expect(await fixture.balance(of: "ann")?.streak.length == 1)
  }

  /// Documents of other days believe it for longer: that proves nothing of this day, whichever way it counts.
  @Test(arguments: ["overlaps", "starts"])
  func otherDaysHoursProveNothing(counts: String) async throws {
    let fixture = try await endlessStream(
      try rules("a", openEndHours: 168, counts: counts),
      try rules("b", openEndHours: 1, counts: counts, from: "2026-11-10"))
    #expect(fixture.records.net["ann/2026-11-10/stream"]?.points == 30)
    #expect(fixture.records.net["ann/2026-11-11/stream"] == nil)
    #expect(unknown(fixture) == [.stream])
    #expect(await fixture.balance(of: "ann")?.streak.length == 1)
  }

  /// One stream that was watched is listed without an end; what is watched later counts, though other documents believe
  /// that the first goes on.
  @Test(arguments: [168, 1]) func anOpenEndHidesNothingThatComesLater(hours: Int) async throws {
    let fixture = try await fixture([
      try rules("a", openEndHours: hours), try rules("b", openEndHours: 1, from: "2026-11-10"),
    ])
    let first = try SchedulerFixture.instant("2026-11-10T20:00:00Z")
    let second = Activity(
      kind: .watch, from: try SchedulerFixture.instant("2026-11-10T22:00:00Z"),
      to: try SchedulerFixture.instant("2026-11-11T01:00:00Z"))
    for instant in [
      "2026-11-10T20:30:00Z", "2026-11-11T00:20:00Z", "2026-11-11T02:00:00Z",
      "2026-11-11T10:00:00Z", "2026-11-12T00:20:00Z",
    ] {
      try fixture.set(instant)
      await fixture.noteInbox()
      let fresh = fixture.clock.now().adding(seconds: -10)
      var watched = [Activity(kind: .watch, from: first, to: fresh, isOpen: true)]
      if fresh > second.to {
        watched.append(second)
      } else if fresh > second.from {
        watched.append(Activity(kind: .watch, from: second.from, to: fresh, isOpen: true))
      }
      try await fixture.look(at: "ann", watch: .answered(watched, refused: []))
      try await fixture.closeAll()
    }
    #expect(fixture.records.net["ann/2026-11-10/watch"]?.points == 15)
    #expect(fixture.records.net["ann/2026-11-11/watch"]?.points == 15)
    #expect(await fixture.balance(of: "ann")?.streak.length == 2)
    #expect(await fixture.plans(plan: "p", clawsBack: true).flatMap(\.records) == [])
  }
}
