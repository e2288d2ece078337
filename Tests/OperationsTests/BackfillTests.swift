import CivilTime
import Engine
import Foundations
import Ledger
import LedgerStore
import RewardRules
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// Plans made from files, looked at, and applied: once, whatever happens in between.
@Suite(.offThePool) struct BackfillTests {
  private static let users = ["ann", "ben", "eve"]

  private func instant(_ text: String) throws -> Instant {
    try InstantText.parse(text).instant
  }

  /// A day of November 2026.
  private func day(_ number: Int) -> Day { Day(number: 20_757 + Int32(number)) }

  private func order(_ first: Int, _ last: Int, clawsBack: Bool = false) throws -> BackfillOrder {
    BackfillOrder(days: day(first)...day(last), protection: clawsBack ? .nothing : .everything)
  }

  private func plan(_ place: TestPlace, _ order: BackfillOrder) async throws -> BackfillPlan {
    let planner = BackfillPlanner(
      try place.configuration(),
      place.environment(FixedClock(at: try instant("2026-11-20T00:00:00Z"))))
    let made = try await planner.plan(order, in: LedgerReader.open(place.directory))
    // What is applied is what was written down.
    return try BackfillPlanFile.decode(try BackfillPlanFile.encode(made))
  }

  /// Who applied which plan, and what it came to, stands before its records; not where nothing was appended.
  @Test func whoAppliesAPlanIsRecorded() async throws {
    let place = try await place()
    let plan = try await plan(place, try order(10, 15))
    for _ in 1...2 {
      try await place.at("2026-11-16T12:00:00Z") {
        _ = try await BackfillApplication($0).apply(plan, by: "alice")
      }
    }
    var acts: [OperatorRecord] = []
    try LedgerReader.open(place.directory).scan { record in
      if case .operator(let act) = record.body, act.act == .apply { acts.append(act) }
    }
    #expect(acts.map(\.subject) == [plan.id] && acts.first?.actor == "alice")
    #expect(acts.first?.what?.hasPrefix(plan.amounts.text) == true)
  }

  private func apply(
    _ plan: BackfillPlan, to place: TestPlace, maxPoints: Int64? = nil
  ) async throws -> AppendCounts {
    try await place.at("2026-11-16T12:00:00Z") {
      try await BackfillApplication($0).apply(plan, by: "tests", maxPoints: maxPoints).planned
    }
  }

  /// Three users who comment each day; the lines of the 12th come only after it was closed.
  private func place() async throws -> TestPlace {
    let place = try TestPlace()
    try await place.at("2026-11-10T00:00:00Z") { runtime in
      let roster = Self.users.map { "{\"user\":\"\($0)\",\"timezone\":\"UTC\"}\n" }.joined()
      try await runtime.hire(roster)
    }
    for number in 10...15 {
      try await place.at("2026-11-\(number + 1)T00:30:00Z") { runtime in
        if number != 12 { try await comment(number, at: runtime) }
        _ = try await Reconciliation(runtime, ReconcileOrder()).run()
      }
    }
    try await place.at("2026-11-16T10:00:00Z") { try await comment(12, at: $0) }
    return place
  }

  private func comment(_ number: Int, at runtime: Runtime) async throws {
    let lines = Self.users.map {
      "{\"user\":\"\($0)\",\"kind\":\"comment\",\"at\":\"2026-11-\(number)T12:00:00Z\"}\n"
    }
    _ = try await Ingestion(runtime).run(Array(lines.joined().utf8), name: "\(number).jsonl")
  }

  private func balances(_ place: TestPlace) async throws -> [Balance?] {
    let book = try await StateReading.read(LedgerReader.open(place.directory))
    return Self.users.map { book.balance(of: $0) }
  }

  /// One message for each user whose points change, under the seal of the plan's records; a second time none, and none unless
  /// it is asked for.
  @Test func usersAreToldOnceWhatAPlanCameTo() async throws {
    for notifies in [false, true] {
      let place = try await place()
      let plan = try await plan(place, try order(12, 12))
      for _ in 0..<2 {
        try await place.at("2026-11-16T12:00:00Z") {
          _ = try await BackfillApplication($0).apply(plan, by: "tests", notifies: notifies)
        }
      }
      var messages: [MessageRecord] = []
      try LedgerReader.open(place.directory).scan { record in
        if case .message(let message) = record.body { messages.append(message) }
      }
      #expect(messages.map(\.user) == (notifies ? Self.users : []))
      for message in messages {
        let totals = plan.users.first { $0.user == message.user }?.totals
        #expect(message.plan == plan.id)
        #expect(message.amounts == totals?.amounts)
        #expect(message.amounts.points > 0)
        // The colour of the second day, and the booster of the sixth.
        #expect(message.items.contains { $0.hasPrefix("backgroundColor/") })
        #expect(message.boosterUntil != nil)
      }
      // A plan is in the ledger whether users were told or not.
      #expect(try await self.plan(place, try order(12, 12)).totals.records == 0)
    }
  }

  @Test func aPlanRepairsTheStreakAndASecondApplicationWritesNothing() async throws {
    let place = try await place()
    #expect(try await balances(place).allSatisfy { $0?.streak.length == 3 })
    let plan = try await plan(place, try order(12, 12))
    #expect(plan.users.map(\.user) == Self.users)
    #expect(plan.totals.records == plan.users.reduce(0) { $0 + $1.totals.records })
    let first = try await apply(plan, to: place)
    #expect(first.appended == plan.totals.records)
    // 25, a colour, 50, a colour, 100, a booster; six comments of 5.
    let after = try await balances(place)
    #expect(after.allSatisfy { $0?.streak.length == 6 && $0?.streak.cycleDay == 6 })
    #expect(after.allSatisfy { $0?.points == 205 })
    #expect(try await apply(plan, to: place).appended == 0)
    #expect(try await self.plan(place, try order(10, 15)).totals.records == 0)
    #expect(try await LedgerReading.verify(place.configuration(), heads: []).isIntact)
  }

  @Test func theSameEvidenceGivesTheSameTotalsHoweverItIsDivided() async throws {
    var random = SplitMix64(seed: 4)
    var seen: Set<[Int64]> = []
    for _ in 0..<8 {
      let place = try await place()
      for _ in 0..<Int(random.number(in: 1...4)) {
        let first = Int(random.number(in: 10...15))
        let last = Int(random.number(in: Int64(first)...15))
        _ = try await apply(try await plan(place, try order(first, last)), to: place)
      }
      _ = try await apply(try await plan(place, try order(10, 15)), to: place)
      seen.insert(try await balances(place).map { $0?.points ?? -1 })
      #expect(try LedgerFacts(place.directory).doubled == [])
    }
    #expect(seen == [[205, 205, 205]])
  }

  @Test func anEditedPlanIsRefused() async throws {
    let place = try await place()
    let planner = BackfillPlanner(
      try place.configuration(),
      place.environment(FixedClock(at: try instant("2026-11-20T00:00:00Z"))))
    let bytes = try BackfillPlanFile.encode(
      try await planner.plan(order(12, 12), in: LedgerReader.open(place.directory)))
    _ = try BackfillPlanFile.decode(bytes)
    for index in stride(from: 0, to: bytes.count, by: 97) {
      var edited = bytes
      edited[index] ^= 1
      #expect(throws: BackfillPlanFile.Problem.self, "byte \(index)") {
        try BackfillPlanFile.decode(edited)
      }
    }
    for count in [0, 1, 60, bytes.count / 2, bytes.count - 1] {
      #expect(throws: BackfillPlanFile.Problem.self) {
        try BackfillPlanFile.decode(Array(bytes.prefix(count)))
      }
    }
  }

  /// Older versions had other members, and so may later ones.
  @Test(arguments: [1, 3]) func aPlanOfAnotherFormatIsRefusedAsSuch(format: Int) {
    let plan = BackfillPlanFile.sealed(Array("{\"format\":\(format),\"records\":[1]".utf8))
    let problem = #expect(throws: BackfillPlanFile.Problem.self) {
      try BackfillPlanFile.decode(plan)
    }
    #expect(problem?.description.contains("does not know the plan's format") == true)
  }

  /// Plans of several ledgers stand in one file, one after another, each as it was made; what is torn is no plan.
  @Test func plansOfSeveralLedgersStandInOneFile() async throws {
    let place = try await place()
    let planner = BackfillPlanner(
      try place.configuration(),
      place.environment(FixedClock(at: try instant("2026-11-20T00:00:00Z"))))
    var plans: [[UInt8]] = []
    for day in 10...12 {
      plans.append(
        try BackfillPlanFile.encode(
          try await planner.plan(order(day, day), in: LedgerReader.open(place.directory))))
    }
    for count in 1...plans.count {
      let file = Array(plans.prefix(count).joined())
      #expect(BackfillPlanFile.parts(of: file) == Array(plans.prefix(count)))
      let torn = BackfillPlanFile.parts(of: file.dropLast())
      #expect(torn.count == count)
      #expect(throws: BackfillPlanFile.Problem.self) {
        try BackfillPlanFile.decode(torn[count - 1])
      }
    }
    #expect(BackfillPlanFile.parts(of: []) == [[]])
  }

  @Test func aPlanThatNoLongerFitsIsRefusedAndWritesNothing() async throws {
    let place = try await place()
    let plan = try await plan(place, try order(12, 12))
    let head = try LedgerReader.open(place.directory).head
    await #expect(throws: BackfillApplication.Refusal.tooMuch(points: plan.pointsGiven, limit: 10))
    {
      try await apply(plan, to: place, maxPoints: 10)
    }
    #expect(try LedgerReader.open(place.directory).head == head)
    // Another plan brings the same evidence in, and another day is closed.
    _ = try await apply(try await self.plan(place, try order(10, 14)), to: place)
    await #expect(throws: BackfillApplication.Refusal.outdated(Self.users)) {
      try await apply(plan, to: place)
    }
    let other = try await self.place()
    await #expect(throws: BackfillApplication.Refusal.otherLedger) {
      try await apply(plan, to: other)
    }
  }

  @Test func whatIsOnlyAnOpenDaysAffairDoesNotOutdateAPlan() async throws {
    let place = try await place()
    let plan = try await plan(place, try order(12, 12))
    try await place.at("2026-11-16T11:58:00Z") { try await comment(16, at: $0) }
    #expect(try await apply(plan, to: place).appended > 0)
    #expect(try await balances(place).allSatisfy { $0?.streak.length == 7 && $0?.coins == 50 })
  }

  @Test func anExcuseHoldsTheStreakOfWhomItNames() async throws {
    let place = try TestPlace()
    try await place.at("2026-11-10T00:00:00Z") { runtime in
      let roster = Self.users.map { "{\"user\":\"\($0)\",\"timezone\":\"UTC\"}\n" }.joined()
      try await runtime.hire(roster)
    }
    for number in [10, 12] {
      try await place.at("2026-11-\(number + 1)T00:30:00Z") { runtime in
        try await comment(number, at: runtime)
        _ = try await Reconciliation(runtime, ReconcileOrder()).run()
      }
    }
    try await place.at("2026-11-13T01:00:00Z") {
      _ = try await Excuses($0).declare(
        ExcuseRecord(from: day(11), to: day(11), reason: "outage", actor: "tester"), users: ["ann"])
    }
    _ = try await apply(try await plan(place, try order(11, 11)), to: place)
    #expect(try await balances(place).map { $0?.streak.length } == [2, 1, 1])
  }
}
