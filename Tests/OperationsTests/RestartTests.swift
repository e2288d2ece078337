import CivilTime
import Evidence
import HTTPServer
import Ledger
import LedgerStore
import Operations
import Sandbox
import Scheduling
import TestSupport
import Testing

/// The service over a simulated world, stopped and started again in the middle of its days.
@Suite(.offThePool) struct RestartTests {
  private static let firstDay = Day(number: 20_748)
  private static let nightly = """
    {"name": "nightly-reconciliation", "schedule": "30 0 * * *", "timeZone": "user",
     "do": ["reconcile", "--day", "yesterday"], "catchUp": "36h", "jitter": "5m"}
    """

  /// What is left when the world has ended.
  private struct Outcome {
    let facts: LedgerFacts
    let check: TruthCheck
    let isIntact: Bool
    let secondRun: Int
    let events: Int
    let eventIDs: Int
  }

  /// Lives through three days with the service closed and opened again at `stops`, minutes after the beginning.
  private func live(
    stops: [Int64], faults: FaultPlan, countsFollows: Bool = false,
    between: (TestPlace, VirtualClock) async throws -> Void = { _, _ in }
  ) async throws -> Outcome {
    let life = LifeModel(seed: 7, userCount: 16, firstDay: Self.firstDay, dayCount: 3)
    let midnight = Int64(Self.firstDay.number) * 86_400
    let begin = Instant(seconds: midnight - 15 * 3_600)
    let end = Instant(seconds: midnight + 3 * 86_400 + 14 * 3_600)
    let clock = VirtualClock(at: begin, until: begin)
    let api = SimulatedAPI(life: life, clock: clock, faults: faults)
    let server = try api.start()
    var settings = TestPlace.Settings()
    settings.baseURL = SimulatedAPI.baseURL(of: server)
    settings.requiresWatermark = true
    settings.countsFollows = countsFollows
    let place = try TestPlace(settings)
    try place.write(
      "users.jsonl",
      life.users.map {
        "{\"user\":\"\($0.id)\",\"timezone\":\"\($0.zone)\",\"since\":\"\(Self.firstDay)\"}\n"
      }.joined())
    try place.write("jobs/nightly.json", Self.nightly)

    var feeding: Task<Void, Never>?
    var secondRun = 0
    for stop in stops.map({ begin.adding(seconds: $0 * 60) }) + [end] {
      let runtime = try await place.open(clock)
      let signals = ServiceSwitch()
      let service = try await Service.start(runtime, signals: signals)
      let running = clock.start { await service.run() }
      if feeding == nil {
        let feeder = LifeFeeder(
          life: life, begin: begin, firstFile: begin.adding(seconds: 1_800), end: end,
          kinds: countsFollows ? KindSet.inbox.subtracting(KindSet(.follow)) : .inbox,
          inbox: runtime.inbox)
        feeding = clock.start { await feeder.run(clock) }
      }
      await clock.run(until: stop)
      signals.stop()
      await running.value
      if stop == end {
        let users = await runtime.writer.read { Array($0.ledger.accounts.indices) }
        secondRun = await OpenDayEvaluation(runtime.writer).missingCount(of: users)
      }
      await runtime.close()
      if stop != end { try await between(place, clock) }
    }
    await feeding?.value
    await server.stop()
    let facts = try LedgerFacts(place.directory)
    let report = try await LedgerReading.verify(place.directory, heads: [])
    let events = place.read("events.jsonl").split(separator: "\n")
    return Outcome(
      facts: facts, check: TruthCheck(life, facts), isIntact: report.isIntact,
      secondRun: secondRun, events: events.count, eventIDs: Set(events).count)
  }

  @Test(arguments: [[1_200, 2_820], [1_807, 1_840]] as [[Int64]])
  func grantsEqualTheTrueLives(stops: [Int64]) async throws {
    let outcome = try await live(stops: stops, faults: FaultPlan())
    #expect(outcome.check.wrong == [])
    #expect(outcome.check.unexplained == [])
    #expect(outcome.check.right > 60)
    // Only what two looks around midnight cannot tell apart may stay unknown.
    #expect(outcome.check.explained <= 3)
    #expect(outcome.facts.doubled == [])
    #expect(outcome.isIntact)
    #expect(outcome.secondRun == 0)
    #expect(outcome.facts.closes.values.allSatisfy { $0.count >= 3 })
    #expect(outcome.events > 60)
    #expect(outcome.eventIDs == outcome.events)
  }

  @Test func grantsNothingWrongWithFaults() async throws {
    let rates = FaultRates([
      .unauthorized: 0.005, .throttled: 0.005, .serverError: 0.02, .cut: 0.01, .truncated: 0.005,
      .notJSON: 0.005, .olderValue: 0.005, .missingValue: 0.005, .futureInstant: 0.002,
      .endBeforeStart: 0.002,
    ])
    let outcome = try await live(stops: [1_200, 2_820], faults: FaultPlan(seed: 3, rates: rates))
    #expect(outcome.check.wrong == [])
    #expect(outcome.check.unexplained == [])
    #expect(outcome.check.right > 60)
    #expect(outcome.facts.doubled == [])
    #expect(outcome.isIntact)
  }

  /// Nobody but route 196 tells of follows: none is invented, and none is denied, whatever the API answers in between.
  @Test(arguments: [0, 0.01]) func routeOfFollowsTellsTheTruth(rate: Double) async throws {
    let rates = FaultRates([
      .serverError: rate, .cut: rate, .notJSON: rate, .olderValue: rate, .missingValue: rate,
    ])
    let outcome = try await live(
      stops: [1_200, 2_820], faults: FaultPlan(seed: 5, rates: rates), countsFollows: true)
    #expect(outcome.check.wrong == [])
    #expect(outcome.check.unexplained == [])
    #expect(outcome.facts.keys.keys.filter { $0.hasSuffix("/follow") }.count > 2)
    #expect(outcome.facts.doubled == [])
    #expect(outcome.secondRun == 0)
    #expect(outcome.isIntact)
  }

  @Test func lostLooksOnlyMakeDaysUnknown() async throws {
    let outcome = try await live(stops: [1_740, 3_265], faults: FaultPlan()) { place, clock in
      try place.remove("data/state/looks")
      await clock.run(until: clock.now().adding(seconds: 20 * 3_600))
    }
    #expect(outcome.check.wrong == [])
    #expect(outcome.check.unexplained == [])
    #expect(outcome.check.right > 60)
    #expect(!outcome.facts.unknown.isEmpty)
    #expect(outcome.facts.doubled == [])
    #expect(outcome.isIntact)
  }
}
