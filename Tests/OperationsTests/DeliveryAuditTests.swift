import AuditPage
import CivilTime
import Ledger
import LedgerStore
import Scheduling
import TestSupport
import Testing

@testable import NotificationRelay
@testable import Operations

/// The audit's check 10 holds where a sink stands against each grant.
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
    try LedgerReader.open(place.directory).scan { record in
      if case .grant(let grant) = record.body { grants.append((record.seq, grant)) }
    }
    return grants
  }

  private func sink(_ place: TestPlace) throws -> SinkWriter {
    let ledger = try LedgerReader.open(place.directory).ledger
    return try SinkWriter("hook", in: place.directory, SinkWriter.Terms(ledger: ledger))
  }

  private func attempt(
    _ seq: UInt64, _ grant: GrantRecord, _ outcome: DeliveryAttempt.Outcome
  ) -> RelayChange {
    .attempt(
      DeliveryAttempt(
        event: grant.key, position: EventPosition(seq: seq), lane: Lane(user: grant.user),
        attempt: 1, outcome: outcome, reason: outcome == .delivered ? nil : "no"))
  }

  private func findings(_ place: TestPlace) async throws -> [String] {
    let clock = FixedClock(at: Instant.latest10.adding(seconds: 2 * 86_400))
    let report = try await Audit(place.configuration(), place.environment(clock)).run()
    return report.checks.first { $0.id == 10 }?.findings.map(\.text) ?? ["no check"]
  }

  /// The cursor stands before the last grant: it waits, unless something has come of it.
  @Test(arguments: [nil, .dead, .delivered, .skipped, .failed] as [DeliveryAttempt.Outcome?])
  func aGrantThatWaitsForLongIsFound(last: DeliveryAttempt.Outcome?) async throws {
    let place = try await place()
    let grants = try grants(place)
    let final = try #require(grants.last)
    let reader = try LedgerReader.open(place.directory)
    let sink = try sink(place)
    sink.apply(grants.dropLast().map { attempt($0.seq, $0.grant, .delivered) }, at: .latest10)
    if let last { sink.apply([attempt(final.seq, final.grant, last)], at: .latest10) }
    sink.apply([.cursor(try reader.seals(of: [2])[0])], at: .latest10)
    try sink.write(at: .latest10)
    let waits = last == nil || last == .failed
    let found = try await findings(place)
    #expect(found.count == (waits ? 1 : 0), "\(found)")
    #expect(found.allSatisfy { $0.hasPrefix("sink hook: 1 grants wait, the oldest since ") })
  }

  /// What cannot be read is said, and nothing else about that sink.
  @Test func whereASinkStandsMayBeUnreadable() async throws {
    let place = try await place()
    let sink = try sink(place)
    sink.apply([.cursor(try LedgerReader.open(place.directory).head)], at: .latest10)
    try sink.write(at: .latest10)
    try place.write("data/relay/hook/progress.json", "{}")
    let found = try await findings(place)
    #expect(
      found.count == 1 && found[0].contains("the sink's progress cannot be read"), "\(found)")
  }
}

extension Instant {
  /// A time behind all that happens here.
  fileprivate static let latest10 = Instant(seconds: 1_794_355_200)
}
