import CivilTime
import Configuration
import Evidence
import Foundation
import HTTPServer
import LedgerStore
import Operations
import Sandbox
import Scheduling
import TestSupport
import Testing

private let soakSeconds =
  Int64(ProcessInfo.processInfo.environment["REWARDS_SOAK_SECONDS"] ?? "") ?? 0

/// The real program in real time beside an API with faults, killed again and again: every grant is accounted for.
///
/// Takes as long as `REWARDS_SOAK_SECONDS` says; without it, it is left out. CI runs it by itself.
@Suite(.enabled(if: soakSeconds > 0, "REWARDS_SOAK_SECONDS says how long"), .offThePool)
struct SoakTests {
  private static let kills = 3

  private static let nightly = """
    {"name": "nightly-reconciliation", "schedule": "30 0 * * *", "timeZone": "user",
     "do": ["reconcile", "--day", "yesterday"], "catchUp": "60h"}
    """

  private let clock = SystemClock()

  /// What goes wrong, every seventh request or so, and for a tenth of the time everything.
  ///
  /// Answers that leave something out are not among it: where a day is closed upon one poll, nobody can tell that it
  /// lied.
  private func faults(from begin: Instant) -> FaultPlan {
    let rates = FaultRates([
      .unauthorized: 0.01, .throttled: 0.01, .serverError: 0.04, .cut: 0.03, .truncated: 0.01,
      .notJSON: 0.01, .futureInstant: 0.005, .endBeforeStart: 0.005,
    ])
    return FaultPlan(
      seed: 11, rates: rates,
      latency: Latency(usualSeconds: 0.001...0.05, lateProbability: 0.01, lateSeconds: 0.2...1),
      outages: [
        SimulatedOutage(
          from: begin, to: begin.adding(seconds: max(2, soakSeconds / 10)), manner: .unavailable)
      ])
  }

  @Test(.timeLimit(.minutes(60))) func everyGrantOfAKilledServiceIsAccountedFor() async throws {
    let begin = clock.now()
    let yesterday = Day(number: Int32(begin.seconds / 86_400)).adding(days: -1)
    let life = LifeModel(seed: 5, userCount: 80, firstDay: yesterday, dayCount: 4)
    let api = SimulatedAPI(life: life, clock: clock, faults: faults(from: begin))
    let server = try api.start()
    var settings = TestPlace.Settings()
    settings.baseURL = SimulatedAPI.baseURL(of: server)
    settings.everyMinutes = 1
    settings.inboxEverySeconds = 1
    settings.requiresWatermark = true
    let place = try TestPlace(settings)
    try place.write("jobs/nightly.json", Self.nightly)
    try place.write(
      "users.jsonl",
      life.users.map {
        "{\"user\":\"\($0.id)\",\"timezone\":\"\($0.zone)\",\"since\":\"\(yesterday.adding(days: -1))\"}\n"
      }.joined())
    let runtime = try await place.open(clock)
    let inbox = runtime.inbox
    await runtime.close()
    let feeding = Task {
      // From before the users' first day to well after the end.
      await LifeFeeder(
        life: life, begin: begin.adding(seconds: -5 * 86_400), firstFile: begin,
        end: begin.adding(seconds: soakSeconds + 600), everySeconds: 2, inbox: inbox
      ).run(clock)
    }
    for kill in 1...Self.kills {
      let service = try ServiceProcess(place)
      #expect(await service.answers(), "\(service.log)")
      try await clock.sleep(
        until: begin.adding(seconds: soakSeconds * Int64(kill) / Int64(Self.kills + 1)))
      service.kill()
      #expect(await service.ended() == -SIGKILL)
    }
    let service = try ServiceProcess(place)
    #expect(await service.answers(), "\(service.log)")
    try await clock.sleep(until: begin.adding(seconds: soakSeconds))
    let cutoff = clock.now()
    // What happens now must have reached the inbox, and be older than the API's answers may be stale.
    try await clock.sleep(seconds: 14)
    for _ in 0..<3 {
      let order = try ServiceProcess(place, ["reconcile"])
      let code = await order.ended()
      #expect(code == 0 || code == 1, "\(order.log)")
    }
    service.terminate()
    #expect(await service.ended() == 0, "\(service.log)")
    feeding.cancel()
    await feeding.value
    await server.stop()

    let facts = try LedgerFacts(place.directory)
    #expect(facts.doubled == [])
    let closed = TruthCheck(life, facts)
    #expect(closed.wrong == [])
    #expect(closed.unexplained == [])
    let open = try OpenDayCheck(life, facts, cutoff: cutoff, end: clock.now())
    #expect(open.wrong == [])
    #expect(open.missing == [])
    #expect(closed.right > 0 && open.right > 0)
    #expect(try await LedgerReading.verify(place.configuration(), heads: []).isIntact)
    #expect(api.counts.byFault.values.reduce(0, +) > 0)
    // A short outage may pass between two polls.
    #expect(soakSeconds < 60 || api.counts.refusedByOutage > 0)
    let closes = facts.closes.values.reduce(0) { $0 + $1.count }
    print(
      "soak of \(soakSeconds) s: \(closed.right + open.right) grants right, none wrong;",
      "\(closed.explained) missing ones explained by a recorded gap;",
      "\(closes) closes, \(facts.records.count) records, \(api.counts.requests) requests,",
      "\(api.counts.byFault.values.reduce(0, +)) of them with a fault,",
      "\(api.counts.refusedByOutage) refused by the outage")
  }
}
