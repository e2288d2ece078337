import AuditPage
import CivilTime
import Failures
import HTTPServer
import TestSupport
import Testing

@testable import Operations

/// An audit against the coins that the app tells: differences by user, and who was not told of.
@Suite(.offThePool) struct CoinsFromAPITests {
  @Test func differencesAreFoundByUser() async throws {
    let place = try await AuditScene.healthy()
    let server = try HTTPServer.start(on: .loopback()) { request in
      switch (request.path, request.argument("id")) {
      case ("/api/v1/user/point", "u3"): .respond(.json(Array(#"{"amount":"50"}"#.utf8)))
      case ("/api/v1/user/point", "u5"): .respond(.json(Array(#"{"amount":"5.0"}"#.utf8)))
      case ("/api/v1/user/point", "u7"): .respond(.json([], status: 404))
      case ("/api/v1/user/point", "u9"): .respond(.json(Array(#"{"amount":null}"#.utf8)))
      case ("/api/v1/user/point", _): .respond(.json(Array(#"{"amount":"0"}"#.utf8)))
      default: .respond(.json([], status: 500))
      }
    }
    var settings = TestPlace.Settings()
    settings.relay = "{}"
    settings.baseURL = "http://127.0.0.1:\(server.port)/api/v1"
    try place.configure(settings)
    let environment = place.environment(
      FixedClock(at: try InstantText.parse("2026-11-16T01:00:00Z").instant))
    let outside = try await CoinsFromAPI.read(place.configuration(), environment)
    await server.stop(graceSeconds: 0)
    #expect(outside.map(\.user) == (0..<20).map { "u\($0)" })
    let report = try await Audit(place.configuration(), environment, outside: outside).run()
    let check = try #require(report.checks.first { $0.id == BalanceCheck.id })
    #expect(check.examined == 20)
    let texts = Dictionary(uniqueKeysWithValues: check.findings.map { ($0.user, $0.text) })
    #expect(
      texts == [
        "u3": "the other system has 50 coins, the ledger 0: 50 too many there",
        "u5": "not compared: route 198 failed: bad answer",
        "u7": "not compared: route 198 failed: user unknown",
      ])
  }

  @Test func nobodyIsAskedWithoutCredentials() async throws {
    let place = try await AuditScene.healthy()
    let environment = place.environment(
      FixedClock(at: try InstantText.parse("2026-11-16T01:00:00Z").instant))
    let failure = await #expect(throws: Failure.self) {
      _ = try await CoinsFromAPI.read(place.configuration(), environment)
    }
    #expect(failure?.exitCode == .configuration)
  }
}
