import CivilTime
import Evidence
import Foundations
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// Route 196 tells a number and nothing else. Whatever users do and whenever they are polled: a day that earns a follow
/// had one, and a day that denies one had none that stayed.
@Suite(.offThePool) struct FollowLawTests {
  private static let days: Int64 = 6
  private static let dayOne: Int64 = 1_763_596_800  // 2025-11-20T00:00:00Z

  /// The changes of a user's number: by how much, and when.
  private struct Life {
    let begin: Int64
    let changes: [(at: Int64, by: Int64)]

    init(_ random: inout SplitMix64, unfollows: Bool) {
      begin = random.number(in: 0...3)
      changes = (0..<random.number(in: 0...8)).map { _ in
        (
          dayOne + random.number(in: 0...(days * 86_400 - 1)),
          unfollows && random.chance(0.4) ? -1 : random.number(in: 1...2)
        )
      }.sorted { $0.0 < $1.0 }
    }

    /// What the app's database says at an instant.
    func count(at second: Int64) -> Int64 {
      changes.filter { $0.at <= second }.reduce(begin) { max(0, $0 + $1.by) }
    }

    func followsOn(_ day: Int64) -> Bool {
      let start = dayOne + day * 86_400
      return changes.contains { $0.by > 0 && start <= $0.at && $0.at < start + 86_400 }
    }
  }

  @Test(arguments: 0..<60) func followsAreNeitherInventedNorDenied(seed: UInt64) async throws {
    var random = SplitMix64(seed: 196, seed)
    let unfollows = seed.isMultiple(of: 2)
    let life = Life(&random, unfollows: unfollows)
    let fixture = try await SchedulerFixture(
      at: Instant(seconds: Self.dayOne), countsFollows: true)
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    var now = Self.dayOne
    var wasOdd = false
    while now < Self.dayOne + Self.days * 86_400 {
      now += random.number(in: 60...(random.chance(0.1) ? 90_000 : 9_000))
      let answered = now + random.number(in: 0...5)
      fixture.clock.set(Instant(seconds: answered))
      // An old copy answers now and then, or nobody; never twice in a row.
      let isOdd = !wasOdd && random.chance(0.15)
      wasOdd = isOdd
      let age = isOdd ? random.number(in: 0...20_000) : random.number(in: 0...SchedulerFixture.lag)
      let known = random.chance(0.5) && !isOdd ? answered : now - age
      let value = life.count(at: known)
      let outcome =
        isOdd && random.chance(0.3)
        ? Look.Outcome.failed(.serverError)
        : .counted(value == 0 && random.chance(0.3) ? nil : value, by: fixture.clock.now())
      _ = try await fixture.intake.add(
        [Look(route: .follows, at: Instant(seconds: now), outcome: outcome)], of: 0)
      if random.chance(0.1) { fixture.restart() }
    }
    await fixture.noteInbox()
    try await fixture.closeAll()
    for day in 0..<(Self.days - 1) {
      let date = try #require(Day(year: 2025, month: 11, day: 20 + Int(day)))
      let isGranted = fixture.records.grants.contains { $0.key == "a/\(date)/follow" }
      let isUnknown = fixture.records.unknowns.contains { $0.day == date && $0.mission == .follow }
      if isGranted { #expect(life.followsOn(day), "\(date) earns a follow that was none") }
      if !isGranted, !isUnknown, !unfollows {
        #expect(!life.followsOn(day), "\(date) denies a follow")
      }
    }
  }

  /// Whoever is polled around the ends of the days loses nothing that happened between.
  @Test func oneFollowADayIsSeenEachDay() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T00:01:00Z", countsFollows: true)
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
    let question = InMemoryActivityAPI.Question(.follows, "a")
    var count: Int64 = 3
    for day in 20...22 {
      for time in ["00:01:00", "09:00:00", "23:59:00"] {
        try fixture.set("2026-11-\(day)T\(time)Z")
        if time == "09:00:00" { count += 1 }
        fixture.api.answer(question, with: .counted(count, by: fixture.clock.now()))
        try await fixture.visit("a")
      }
    }
    try fixture.set("2026-11-23T00:30:00Z")
    fixture.api.answer(question, with: .counted(count, by: fixture.clock.now()))
    try await fixture.visit("a")
    await fixture.noteInbox()
    try await fixture.closeAll()
    #expect(fixture.records.grants.filter { $0.mission == "follow" }.count == 3)
    #expect(fixture.records.evidence.filter { $0.source == .follows }.count == 3)
    #expect(fixture.records.closes.first?.sources == Source.allCases)
  }

  /// Without the route's own coverage the inbox alone denies no follow, and so breaks no streak.
  @Test(arguments: [false, true]) func theRouteDeniesWithTheInbox(isCounted: Bool) async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T00:00:00Z", countsFollows: true)
    try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC","opening":{"streak":4}}"#)
    for time in ["2026-11-20T00:00:05Z", "2026-11-21T00:30:00Z", "2026-11-22T00:30:00Z"] {
      try fixture.set(time)
      let told = Look.Outcome.counted(7, by: fixture.clock.now())
      fixture.api.answer(
        InMemoryActivityAPI.Question(.follows, "a"),
        with: isCounted ? told : .failed(.serverError))
      try await fixture.visit("a")
      await fixture.noteInbox()
      if time > "2026-11-21" { try await fixture.closeAll() }
    }
    #expect(fixture.records.streaks.last?.what == (isCounted ? .broken : .held))
    #expect(
      fixture.records.unknowns.filter { $0.mission == .follow }.map(\.day.description)
        == (isCounted ? [] : ["2026-11-20", "2026-11-21"]))
    let proof = fixture.records.streaks.last?.proof.map(\.source) ?? []
    #expect(proof == (isCounted ? Source.allCases : []))
  }

  @Test func theRouteIsAskedOnlyWhereItIsConfigured() async throws {
    for isOn in [false, true] {
      let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z", countsFollows: isOn)
      try await fixture.hire(#"{"user":"a","timezone":"Etc/UTC"}"#)
      try await fixture.visit("a")
      #expect(fixture.api.asked.contains { $0.route == .follows } == isOn)
      // Also when the mission is met: the number at the day's end begins the next one.
      try await fixture.inbox("a follow 2026-11-20T05:00:00Z")
      let before = fixture.api.asked.count
      try await fixture.visit("a")
      #expect(fixture.api.asked.dropFirst(before).contains { $0.route == .follows } == isOn)
    }
  }
}
