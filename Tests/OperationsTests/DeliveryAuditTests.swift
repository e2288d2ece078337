import AuditReport
import CivilTime
import Ledger
import LedgerStore
import Scheduling
import TestSupport
import Testing

@testable import NotificationRelay
@testable import Operations

/// The audit's check 10 counts what a sink's log says of each grant.
@Suite(.offThePool) struct DeliveryAuditTests {
  /// Three users with a comment each, and a webhook.
  private func place() async throws -> TestPlace {
    var settings = TestPlace.Settings()
    settings.relay =
      "{\"hook\": {\"kind\": \"webhook\", \"url\": \"http://127.0.0.1:9/\", \"secret\": {\"file\": \"./api-token\"}}}"
    let place = try TestPlace(settings)
    try await place.at("2026-11-10T13:00:00Z") { runtime in
      let roster = (0..<3).map { "{\"user\":\"u\($0)\",\"timezone\":\"UTC\"}\n" }.joined()
      try await runtime.hire(roster)
      let deeds = (0..<3).map {
        "{\"user\":\"u\($0)\",\"kind\":\"comment\",\"at\":\"2026-11-10T12:00:00Z\"}\n"
      }
      _ = try await Ingestion(runtime).run(Array(deeds.joined().utf8), name: "deeds.jsonl")
    }
    return place
  }

  private func grants(_ place: TestPlace) throws -> [(seq: UInt64, grant: GrantRecord)] {
    var grants: [(UInt64, GrantRecord)] = []
    try LedgerReader.open(place.directory).readRecords(after: 0) { record in
      if case .grant(let grant) = record.body { grants.append((record.seq, grant)) }
    }
    return grants
  }

  private func log(_ place: TestPlace, _ filter: EventFilter? = .rewards) throws -> RelayLog {
    var terms = RelayLog.Terms(
      ledger: try LedgerReader.open(place.directory).ledger, program: "test")
    terms.filter = filter
    return try RelayLog.open("hook", in: place.directory, terms, now: .latest10)
  }

  private func attempt(
    _ seq: UInt64, _ grant: GrantRecord, _ outcome: DeliveryAttempt.Outcome
  ) -> RelayRecord {
    .attempt(
      DeliveryAttempt(
        event: grant.key, position: EventPosition(seq: seq), lane: Lane(user: grant.user),
        attempt: 1, outcome: outcome, reason: outcome == .delivered ? nil : "no"))
  }

  private func findings(_ place: TestPlace) async throws -> [String] {
    let clock = FixedClock(at: .latest10)
    let report = try await Audit(place.configuration(), place.environment(clock)).run()
    return report.checks.first { $0.id == 10 }?.findings.map(\.text) ?? ["no check"]
  }

  /// What a log says of the last grant: nothing, that it was given up, delivered or skipped.
  @Test(
    arguments: [nil, .dead, .delivered, .skipped] as [DeliveryAttempt.Outcome?], [true, false])
  func aGrantThatWasPassedOverIsFound(
    last: DeliveryAttempt.Outcome?, isPutAside: Bool
  ) async throws {
    let place = try await place()
    let grants = try grants(place)
    try #require(grants.count > 3)
    let log = try log(place)
    var records = grants.dropLast().map { attempt($0.seq, $0.grant, .delivered) }
    if let last, let grant = grants.last { records.append(attempt(grant.seq, grant.grant, last)) }
    try log.commit(records, at: .latest10)
    try log.commit([.cursor(LedgerReader.open(place.directory).head)], at: .latest10)
    // The log that goes on has no attempt of its own.
    if isPutAside { try log.exchange(now: .latest10) }
    try log.close()
    let seq = grants.last?.seq ?? 0
    #expect(
      try await findings(place)
        == (last == nil
          ? [
            "sink hook: 1 grants were neither delivered nor given up, the first at line \(seq); rewards relay replay sends them"
          ] : []))
  }

  /// What another filter has let pass, or a log of older versions, is nobody's fault.
  @Test(arguments: [true, false]) func whatWasNotWantedIsNotMissed(isFilterKept: Bool) async throws
  {
    let place = try await place()
    var few = EventFilter.rewards
    few.usersPercent = 1
    var log = try log(place, isFilterKept ? few : nil)
    try log.commit([.cursor(LedgerReader.open(place.directory).head)], at: .latest10)
    try log.close()
    #expect(try await findings(place) == [])
    // The present filter begins behind it.
    log = try self.log(place)
    #expect(
      log.progress.filter
        == .init(events: EventFilter.rewards.description, after: log.progress.cursor.seq))
    try log.close()
    #expect(try await findings(place) == [])
  }
}

extension Instant {
  /// A time behind all that happens here.
  fileprivate static let latest10 = Instant(seconds: 1_794_355_200)
}
