import AuditPage
import CivilTime
import Configuration
import Engine
import Failures
import Ledger
import LedgerStore
import Operations
import RewardRules
import Scheduling
import TestSupport
import Testing

/// Reversals, releases and simulations over the files of a data folder.
@Suite(.offThePool) struct AmendsTests {
  private static let users = (0..<6).map { "u\($0)" }

  /// A day of November 2026.
  private func day(_ number: Int) -> Day { Day(number: 20_757 + Int32(number)) }

  /// Six users who comment and buy each day for a week, all of it closed.
  private func place(_ settings: TestPlace.Settings = TestPlace.Settings()) async throws
    -> TestPlace
  {
    var settings = settings
    // Nobody is told: nothing waits to be delivered.
    settings.relay = "{}"
    let place = try TestPlace(settings)
    try await hire(at: place)
    for number in 10...16 {
      try await place.at("2026-11-\(number + 1)T00:30:00Z") { runtime in
        try await deeds(number, at: runtime)
        _ = try await Reconciliation(runtime, ReconcileOrder()).run()
      }
    }
    return place
  }

  private func hire(at place: TestPlace) async throws {
    try await place.at("2026-11-10T00:00:00Z") { runtime in
      let roster = Self.users.map { "{\"user\":\"\($0)\",\"timezone\":\"UTC\"}\n" }.joined()
      try await runtime.hire(roster)
    }
  }

  private func deeds(_ number: Int, at runtime: Runtime) async throws {
    let lines = Self.users.flatMap { user in
      ["comment", "purchase"].map { kind in
        "{\"user\":\"\(user)\",\"kind\":\"\(kind)\",\"at\":\"2026-11-\(number)T12:00:00Z\"}\n"
      }
    }
    _ = try await Ingestion(runtime).run(Array(lines.joined().utf8), name: "\(number).jsonl")
  }

  private func blast(
    _ place: TestPlace, _ selection: GrantSelection, undoing: Bool = false,
    balances: [OutsideBalance] = []
  ) async throws -> (plan: BackfillPlan, impact: Impact) {
    let clock = FixedClock(at: try InstantText.parse("2026-11-17T01:00:00Z").instant)
    let made = try await ReversalPlanner(try place.configuration(), place.environment(clock)).plan(
      selection, in: LedgerReader.open(place.directory), undoing: undoing, protection: .balances,
      balances: balances, reason: "a test",
      actor: "tester")
    // What is applied is what was written down.
    return (try BackfillPlanFile.decode(try BackfillPlanFile.encode(made.plan)), made.impact)
  }

  private func apply(_ plan: BackfillPlan, to place: TestPlace) async throws -> AppendCounts {
    try await place.at("2026-11-17T02:00:00Z") {
      try await BackfillApplication($0).apply(plan, by: "tests").planned
    }
  }

  private func balances(_ place: TestPlace) async throws -> [Balance?] {
    let book = try await StateReading.read(LedgerReader.open(place.directory))
    return Self.users.map { book.balance(of: $0) }
  }

  /// What an audit finds.
  private func findings(_ place: TestPlace) async throws -> [String] {
    let clock = FixedClock(at: try InstantText.parse("2026-11-17T03:00:00Z").instant)
    let report = try await Audit(place.configuration(), place.environment(clock)).run()
    return report.checks.flatMap { check in
      check.findings.map { "\(check.id) \($0.key ?? "") \($0.text)" }
        + (check.leftOut.map { [$0] } ?? [])
    }
  }

  @Test func aPlanOfReversalsTakesBackWhatHangsOnTheGrantsAndIsUndone() async throws {
    let place = try await place()
    let before = try await balances(place)
    var selection = GrantSelection()
    selection.missions = ["comment", "purchase"]
    selection.days = day(10)...day(16)
    let (plan, impact) = try await blast(place, selection)
    #expect(impact.users == 6 && impact.direct.reversals == 6 * 14)
    #expect(impact.direct.amounts.points == -6 * 7 * 55)
    // No second level any more, and with it no label.
    #expect(impact.levels == 6 && impact.following.adjustments == 6 && impact.items == 6)
    let first = try await apply(plan, to: place)
    #expect(first.appended == plan.totals.records)
    #expect(try await apply(plan, to: place).appended == 0)
    let reversed = try await balances(place)
    for (was, now) in zip(before, reversed) {
      let (was, now) = (try #require(was), try #require(now))
      #expect(now.points == was.points - 7 * 55 && now.level == 1 && was.level == 3)
      #expect(now.streak == was.streak)
    }
    let afterwards = try await findings(place)
    #expect(afterwards == [])
    #expect(try LedgerFacts(place.directory).doubled == [])
    // A reversal settles its key: a day judged again does not bring it back.
    _ = try await place.at("2026-11-17T03:30:00Z") {
      try await Reconciliation($0, ReconcileOrder()).run()
    }
    #expect(try await balances(place) == reversed)
    let undone = try await blast(place, selection, undoing: true).plan
    _ = try await apply(undone, to: place)
    #expect(try await balances(place) == before)
    let undoneFindings = try await findings(place)
    #expect(undoneFindings == [])
  }

  @Test func nobodyFallsBelowWhatIsLeft() async throws {
    let place = try await place()
    var selection = GrantSelection()
    selection.missions = ["purchase"]
    let left = try OutsideBalance.read(
      Array("{\"user\":\"u1\",\"points\":120}\n".utf8), of: "b")
    let (plan, impact) = try await blast(place, selection, balances: left)
    #expect(impact.spared == 1)
    let before = try await balances(place)
    _ = try await apply(plan, to: place)
    let after = try await balances(place)
    #expect(try #require(before[1]).points - #require(after[1]).points == 120)
    #expect(try #require(before[2]).points - #require(after[2]).points == 350)
    #expect(try await apply(plan, to: place).appended == 0)
    // Given back, nobody has more than before, how often so ever: what was spared goes with it.
    for _ in 0..<2 {
      _ = try await apply(try await blast(place, selection, undoing: true).plan, to: place)
      #expect(try await balances(place) == before)
      _ = try await apply(try await blast(place, selection, balances: left).plan, to: place)
      #expect(try await balances(place) == after)
    }
    // One grant after the other.
    for number in 10...16 {
      var one = GrantSelection()
      one.keys = ["u1/2026-11-\(number)/purchase"]
      _ = try await apply(try await blast(place, one, undoing: true).plan, to: place)
    }
    #expect(try await balances(place)[1] == before[1])
    let spared = try await findings(place)
    #expect(spared == [])
  }

  @Test func nothingIsTakenBackThatNobodyGranted() async throws {
    let place = try await place()
    var selection = GrantSelection()
    selection.keys = ["u1/2026-11-12/gift"]
    let failure = await #expect(throws: Failure.self) { try await blast(place, selection) }
    #expect(failure?.place == "u1/2026-11-12/gift")
    #expect(failure?.exitCode == .badData)
  }

  /// Makes a place with the usual users, where a day gives at most 60 points; `more` follows in the rules.
  private func placeWithLimit(_ more: String = "") async throws -> TestPlace {
    var settings = TestPlace.Settings()
    settings.rules = ["./rules.json"]
    settings.relay = "{}"
    let place = try TestPlace(settings)
    try place.write(
      "rules.json",
      """
      {"version": "tight", "effectiveFrom": "2024-01-01", "limits": {"pointsPerUserDay": 60}\(more)}
      """)
    try await hire(at: place)
    return place
  }

  @Test func whatALimitHeldBackIsReleasedAfterTheDayToo() async throws {
    let place = try await placeWithLimit()
    try await place.at("2026-11-11T00:30:00Z") { runtime in
      try await deeds(10, at: runtime)
      _ = try await Reconciliation(runtime, ReconcileOrder()).run()
    }
    #expect(try await balances(place).map { $0?.points } == Array(repeating: 30, count: 6))
    try await place.at("2026-11-11T01:00:00Z") { runtime in
      let release = Release(runtime)
      let key = "u1/2026-11-10/purchase"
      let failure = await #expect(throws: Failure.self) {
        try await release.release("u1/2026-11-10/gift", reason: "r", actor: "op")
      }
      #expect(failure?.cause == "nothing is held back under this key")
      let first = try await release.release(key, reason: "checked", actor: "op")
      #expect(first.appended == 2 && first.amounts.points == 50)
      #expect(try await release.release(key, reason: "checked", actor: "op").appended == 0)
    }
    #expect(try await balances(place).map { $0?.points } == [30, 80, 30, 30, 30, 30])
    let released = try await findings(place)
    #expect(released == [])
  }

  /// What waits on the running day takes two people if all that it will give is too much for one.
  @Test func whatALimitHoldsBackTakesTwoPeopleIfItIsTooMuchForOne() async throws {
    let place = try await placeWithLimit(
      ", \"missions\": {\"purchase\": {\"points\": 50, \"coins\": 20000}}")
    try await place.at("2026-11-10T20:00:00Z") { runtime in
      try await deeds(10, at: runtime)
      _ = try await Reconciliation(runtime, ReconcileOrder()).run()
      let (release, key) = (Release(runtime), "u1/2026-11-10/purchase")
      let problem = await #expect(throws: SecondActor.Problem.self) {
        _ = try await release.release(key, reason: "checked", actor: "op")
      }
      guard case .waiting(let id, let excess, _, _) = problem else { return }
      #expect(excess.hasPrefix("20000 coins"))
      await #expect(throws: SecondActor.Problem.self) {
        _ = try await release.release(key, reason: "checked", actor: "op", approving: id)
      }
      _ = try await release.release(key, reason: "checked", actor: "other", approving: id)
      let mark = await runtime.writer.read { $0.ledger.requests.all[id] }
      #expect(mark?.isUsed == true)
    }
    #expect(try await balances(place).map { $0?.coins } == [0, 20_000, 0, 0, 0, 0])
    #expect(try await findings(place) == [])
  }

  @Test func aSimulationSaysWhatABackfillByTheSameRulesDoes() async throws {
    var settings = TestPlace.Settings()
    let place = try await place(settings)
    try place.write(
      "new.json",
      """
      {"version": "new", "effectiveFrom": "2024-01-01", "corrects": "builtin-2",
       "missions": {"comment": {"points": 7, "exp": 90}, "purchase": {"points": 40, "exp": 50}}}
      """)
    let clock = FixedClock(at: try InstantText.parse("2026-11-17T01:00:00Z").instant)
    let head = try LedgerReader.open(place.directory).head
    let report = try await Simulation(place.configuration(), place.environment(clock)).run(
      try RulesFiles.read("\(place.path)/new.json"), on: day(10)...day(16),
      in: LedgerReader.open(place.directory))
    #expect(try LedgerReader.open(place.directory).head == head)
    #expect(report.userDays == 42 && report.users == 6 && report.changed == 6)
    let difference =
      report.would.values.reduce(0) { $0 + $1.amounts.points }
      - report.was.values.reduce(0) { $0 + $1.amounts.points }
    let before = try await balances(place)
    // The same rules put into use, as a correction.
    try place.write("old.json", RulesDocument.builtIn.canonicalText)
    settings.rules = ["./old.json", "./new.json"]
    try place.configure(settings)
    try await place.at("2026-11-17T02:00:00Z") { runtime in
      let planner = BackfillPlanner(runtime.configuration, runtime.environment)
      let plan = try await planner.plan(
        BackfillOrder(days: day(10)...day(16), protection: .nothing),
        in: LedgerReader.open(place.directory))
      _ = try await BackfillApplication(runtime).apply(plan, by: "tests")
    }
    let after = try await balances(place)
    let gained = zip(before, after).reduce(0) { $0 + (($1.1?.points ?? 0) - ($1.0?.points ?? 0)) }
    #expect(gained == difference && gained != 0)
    #expect(
      zip(before, after).count { ($1?.level ?? 0) > ($0?.level ?? 0) } == report.levels.higher)
  }

  /// Rules that give points alone leave no other trace by which a plan could be told to be outdated.
  @Test func aPlanThatIsAppliedEightTimesAtOnceGivesOnce() async throws {
    var settings = TestPlace.Settings()
    settings.rules = ["./rules.json"]
    let place = try TestPlace(settings)
    let nothing = Array(repeating: "{\"points\": 1}", count: 7).joined(separator: ",")
    try place.write(
      "rules.json",
      """
      {"version": "points", "effectiveFrom": "2024-01-01",
       "missions": {"comment": {"points": 5, "exp": 0}}, "streak": {"rewards": [\(nothing)]}}
      """)
    try await hire(at: place)
    for number in 10...12 {
      try await place.at("2026-11-\(number + 1)T00:30:00Z") { runtime in
        let lines = Self.users.map {
          "{\"user\":\"\($0)\",\"kind\":\"login\",\"at\":\"2026-11-\(number)T12:00:00Z\"}\n"
        }
        _ = try await Ingestion(runtime).run(Array(lines.joined().utf8), name: "l.jsonl")
        _ = try await Reconciliation(runtime, ReconcileOrder()).run()
      }
    }
    try await place.at("2026-11-13T01:00:00Z") { try await deeds(11, at: $0) }
    let (applied, refused) = try await place.at("2026-11-13T02:00:00Z") { runtime in
      let planner = BackfillPlanner(runtime.configuration, runtime.environment)
      var plans: [BackfillPlan] = []
      for user in Self.users {
        plans.append(
          try await planner.plan(
            BackfillOrder(days: day(10)...day(12), users: [user]),
            in: LedgerReader.open(place.directory)))
      }
      return await withTaskGroup(of: (Int, Int).self) { group in
        for task in 0..<8 {
          let plans = (0..<12).map { plans[($0 * 5 + task) % plans.count] }
          group.addTask {
            var counts = (0, 0)
            for plan in plans {
              do {
                counts.0 += try await BackfillApplication(runtime).apply(plan, by: "tests").planned
                  .appended
              } catch {
                counts.1 += 1
              }
            }
            return counts
          }
        }
        return await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
      }
    }
    #expect(applied == Self.users.count)
    #expect(refused < 96)
    #expect(try await balances(place).allSatisfy { $0?.points == 3 + 5 })
    #expect(try LedgerFacts(place.directory).doubled == [])
  }
}
