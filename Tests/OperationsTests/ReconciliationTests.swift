import CivilTime
import Evidence
import Foundations
import HTTPServer
import Ledger
import LedgerStore
import Sandbox
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// Reconciliation over real HTTP, against an API with moods.
@Suite(.offThePool) struct ReconciliationTests {
  private static let firstDay = Day(number: 20_748)
  private let life = LifeModel(seed: 11, userCount: 30, firstDay: firstDay, dayCount: 2)

  /// The instant `hours` after the first day's midnight in UTC.
  private static func instant(_ hours: Int64) -> Instant {
    Instant(seconds: Int64(firstDay.number) * 86_400 + hours * 3_600)
  }

  private struct Scene {
    let place: TestPlace
    let clock: VirtualClock
    let api: SimulatedAPI
    let server: HTTPServer
    let runtime: Runtime

    /// A reconciliation as a task of the clock's.
    func reconcile(_ order: ReconcileOrder = ReconcileOrder()) async throws -> ReconcileReport {
      clock.beginWork()
      defer { clock.endWork() }
      return try await Reconciliation(runtime, order).run()
    }

    func close() async {
      await runtime.close()
      await server.stop()
    }
  }

  private func scene(faults: FaultPlan = FaultPlan()) async throws -> Scene {
    let clock = VirtualClock(at: Self.instant(-15))
    let api = SimulatedAPI(life: life, clock: clock, faults: faults)
    let server = try api.start()
    var settings = TestPlace.Settings()
    settings.baseURL = SimulatedAPI.baseURL(of: server)
    let place = try TestPlace(settings)
    let runtime = try await place.open(clock)
    let roster = life.users.map {
      "{\"user\":\"\($0.id)\",\"timezone\":\"\($0.zone)\",\"since\":\"\(Self.firstDay)\"}\n"
    }
    _ = try await RosterImport(runtime.writer).run(
      RosterFile(Array(roster.joined().utf8)), defaultZone: "Asia/Tokyo", by: "test")
    return Scene(place: place, clock: clock, api: api, server: server, runtime: runtime)
  }

  /// Lets the clock stand at `hours`.
  private func wait(_ scene: Scene, until hours: Int64) async throws {
    scene.clock.beginWork()
    defer { scene.clock.endWork() }
    try await scene.clock.sleep(until: Self.instant(hours))
  }

  @Test func whoIsNotJudgedForWantOfAZoneIsNamed() async throws {
    let place = try TestPlace()
    let clock = VirtualClock(at: Self.instant(1))
    let zones = PatchyZones(TestPlace.zones, without: "Europe/Paris")
    var environment = place.environment(clock)
    environment.zones = zones
    let runtime = try await Runtime.open(place.configuration(), environment)
    try await runtime.recordRules()
    let lines = (0..<7).map { "{\"user\":\"p\($0)\",\"timezone\":\"Europe/Paris\"}\n" }
    _ = try await RosterImport(runtime.writer).run(
      RosterFile(Array((lines + ["{\"user\":\"t\"}\n"]).joined().utf8)), defaultZone: "Asia/Tokyo",
      by: "test")
    clock.beginWork()
    let well = try await Reconciliation(runtime, ReconcileOrder()).run()
    zones.isWhole.withLock { $0 = false }
    let patchy = try await Reconciliation(runtime, ReconcileOrder()).run()
    clock.endWork()
    #expect(!well.problems.contains { $0.hasPrefix("not judged") })
    let told = patchy.problems.filter { $0.hasPrefix("not judged") }
    #expect(told.count == 1 && told[0].hasPrefix("not judged: p0, p1, p2, p3, p4 and 2 more: "))
    #expect(told.first?.contains("Europe/Paris") == true && patchy.needsAttention)
    await runtime.close()
  }

  @Test func aSecondRunAppendsNothingButItsRunRecord() async throws {
    let scene = try await scene()
    try await wait(scene, until: 60)
    let first = try await scene.reconcile(ReconcileOrder(proves: true))
    #expect(first.users == 30)
    #expect(first.closed.count > 10)
    #expect(first.secondRun == 0)
    let before = scene.runtime.store?.head.seq ?? 0
    let second = try await scene.reconcile()
    #expect(second.counts.appended == 0)
    // The run and its seal.
    #expect(scene.runtime.store?.head.seq == before + 2)
    await scene.close()
    #expect(try LedgerFacts(scene.place.directory).doubled == [])
  }

  @Test func faultsAreRetriedAndNothingIsWrong() async throws {
    let rates = FaultRates([
      .unauthorized: 0.02, .throttled: 0.02, .serverError: 0.05, .cut: 0.05, .truncated: 0.02,
      .notJSON: 0.02, .futureInstant: 0.02, .endBeforeStart: 0.02, .oversized: 0.02,
    ])
    let scene = try await scene(faults: FaultPlan(seed: 5, rates: rates))
    for hours in stride(from: Int64(-6), through: 60, by: 6) {
      try await wait(scene, until: hours)
      let report = try await scene.reconcile()
      #expect(report.users == 30)
      #expect(report.problems == [])
    }
    await scene.close()
    let facts = try LedgerFacts(scene.place.directory)
    // Nobody fed the inbox: only what the routes tell can be missing or wrong.
    let wrong = TruthCheck(life, facts).wrong
    #expect(wrong == [])
    #expect(TruthCheck(life, facts).right > 20)
    #expect(facts.doubled == [])
    #expect(scene.api.counts.byFault.values.reduce(0, +) > 20)
  }

  @Test func anOutageMakesDaysUnknownAndBreaksNoStreak() async throws {
    let outage = SimulatedOutage(from: Self.instant(-15), to: Self.instant(100))
    let scene = try await scene(faults: FaultPlan(outages: [outage]))
    try await wait(scene, until: 60)
    let report = try await scene.reconcile()
    #expect(report.unknown > 0)
    #expect(report.needsAttention)
    #expect(!report.failedLooks.isEmpty)
    #expect(report.closed.allSatisfy { $0.broken == 0 })
    await scene.close()
    #expect(TruthCheck(life, try LedgerFacts(scene.place.directory)).wrong == [])
  }

  /// The breaker opens, and closes again by single polls: what is closed then was seen.
  @Test func anOutageOfSecondsIsWaitedFor() async throws {
    var told: [ReconcileReport] = []
    for seconds in [Int64(0), 3] {
      let outage = SimulatedOutage(
        from: Self.instant(59), to: Self.instant(60).adding(seconds: seconds))
      let scene = try await scene(faults: FaultPlan(outages: [outage]))
      try await wait(scene, until: 60)
      told.append(try await scene.reconcile())
      await scene.close()
      #expect(TruthCheck(life, try LedgerFacts(scene.place.directory)).wrong == [])
    }
    #expect(told[1].failedLooks == [:] && told[1].users == 30)
    #expect(told[1].looks > told[0].looks)
    #expect(told[1].unknown == told[0].unknown && told[1].counts.grants == told[0].counts.grants)
  }

  @Test func oneBrokenUserHarmsNobodyElse() async throws {
    let poisoned = life.users[3].id
    let faults = FaultPlan(ratesByUser: [poisoned: FaultRates([.notJSON: 1])])
    let scene = try await scene(faults: faults)
    try await wait(scene, until: 60)
    let report = try await scene.reconcile()
    #expect(report.users == 30)
    await scene.close()
    let facts = try LedgerFacts(scene.place.directory)
    let polled: Set<String> = ["stream", "watch", "gift"]
    let blinded = Set(
      facts.unknown.filter { polled.contains(String($0.split(separator: "/")[2])) }
        .map { String($0.split(separator: "/")[0]) })
    #expect(blinded.contains(poisoned))
    #expect(TruthCheck(life, facts).wrong == [])
  }

  /// One failed poll of many needs attention where waiting does not help.
  @Test(arguments: FailureCause.allCases)
  func whatNoLaterPollMendsNeedsAttention(cause: FailureCause) {
    var report = ReconcileReport()
    report.looks = 100
    report.failedLooks[cause.rawValue] = 1
    let lasts = [
      .unauthorized, .noCredential, .noAPIUser, .forbidden, .userUnknown, .badAnswer,
    ].contains(cause)
    #expect(report.needsAttention == lasts)
  }

  @Test func aRunThatIsBrokenOffClosesNothing() async throws {
    let slow = FaultPlan(latency: Latency(usualSeconds: 5...5))
    let scene = try await scene(faults: slow)
    try await wait(scene, until: 60)
    let run = Task { try await scene.reconcile() }
    #expect(await eventually { scene.api.counts.requests > 0 })
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    scene.api.inject(FaultPlan())
    let before = try LedgerFacts(scene.place.directory)
    #expect(before.closes.isEmpty)
    #expect(before.unknown.isEmpty)
    await scene.close()
  }
}
