import CivilTime
import Evidence
import Foundation
import LedgerStore
import Sandbox
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// Whether a service grants, and why not, by what it sees of the API.
@Suite(.offThePool) struct ReadinessTests {
  private static let noon = Instant(seconds: 1_795_176_000)

  /// A visit with three polls, all of which failed for `cause`; nil for one that saw something.
  private func round(_ cause: FailureCause?) -> Poller.Round {
    var round = Poller.Round()
    round.users = 1
    round.looks = 3
    if let cause { round.failures = [cause: 3] }
    return round
  }

  private static let table:
    [(cause: FailureCause, users: Int, visits: Int, everySeconds: Int64, isBlind: Bool)] = [
      // A single user, every quarter of an hour: two intervals are what it takes.
      (.timedOut, 1, 1, 900, false), (.timedOut, 1, 2, 900, false), (.timedOut, 1, 3, 900, true),
      (.serverError, 5, 14, 100, false), (.serverError, 5, 19, 100, true),
      // Many users: twenty in a row are enough, however soon.
      (.unreachable, 9_999, 19, 1, false), (.unreachable, 9_999, 20, 1, true),
      (.unauthorized, 1, 1, 1, true), (.unauthorized, 9, 2, 1, false),
      (.unauthorized, 9, 3, 1, true), (.forbidden, 2, 2, 1, true),
      (.userUnknown, 1, 1, 1, true), (.userUnknown, 5, 4, 1, false), (.userUnknown, 5, 5, 1, true),
      (.userUnknown, 9_999, 19, 1, false), (.userUnknown, 9_999, 20, 1, true),
      (.cancelled, 1, 99, 900, false),
    ]

  @Test(arguments: table.indices) func nothingSeenIsToldInTime(row: Int) {
    let (cause, users, visits, everySeconds, isBlind) = Self.table[row]
    var api = APIHealth(intervalSeconds: 900)
    var now = Self.noon
    for _ in 0..<visits {
      api.note(round(cause), at: now)
      now = now.adding(seconds: everySeconds)
    }
    let last = now.adding(seconds: -everySeconds)
    #expect((api.reason(at: last, users: users) != nil) == isBlind)
    // One poll that sees something ends it.
    api.note(round(nil), at: now)
    #expect(api.reason(at: now, users: users) == nil)
  }

  /// A service with one user whose API answers everything with `status`, two and a half intervals after its start.
  @Test(arguments: [
    (503, "has answered no poll"), (401, "refuses the credentials"),
    (404, "knows none of the users"), (200, nil),
  ])
  func smallRostersAreToldToo(status: Int, reason: String?) async throws {
    let server = try StatusServer(status)
    var settings = TestPlace.Settings()
    settings.baseURL = server.url
    let place = try TestPlace(settings)
    try place.write("users.jsonl", "{\"user\":\"ann\",\"timezone\":\"Asia/Tokyo\"}\n")
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let running = try await RunningService(place.open(clock), on: clock)
    await running.pass(4 * 3_600)
    #expect(running.reason.map { $0.contains(reason ?? "nothing") } ?? (reason == nil))
    #expect(
      place.log.count { $0.contains("days stay unknown") && $0.contains("users=1") }
        == (reason == nil ? 0 : 1))
    server.answer(with: 200)
    await running.pass(2 * 3_600)
    #expect(running.reason == nil)
    #expect(place.log.count { $0.contains("the API answers again") } == (reason == nil ? 0 : 1))
    await running.stop()
    await server.stop()
  }

  /// Users whom the credentials file leaves out are counted at the start.
  @Test func whoHasNoCredentialIsNamed() async throws {
    var settings = TestPlace.Settings()
    settings.baseURL = "http://127.0.0.1:9"
    settings.credential = "\"credentials\": \"./credentials.jsonl\""
    let place = try TestPlace(settings)
    try place.write(
      "credentials.jsonl", "{\"user\":\"bob\",\"token\":\"t\"}\n", isSecret: true)
    try place.write(
      "users.jsonl", ["ann", "bob", "cyd"].map { "{\"user\":\"\($0)\"}\n" }.joined())
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let running = try await RunningService(place.open(clock), on: clock)
    await running.pass(60)
    await running.stop()
    let lines = place.log.filter { $0.contains("the credentials file has no line") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("users=2") == true)
    #expect(lines.first?.contains("first=\"ann, cyd\"") == true, "\(lines)")
  }

  /// A service that has nothing to record knows that the disk takes nothing.
  @Test func whoAsksHasTheDiskTried() async throws {
    let place = try TestPlace()
    try FileManager.default.createDirectory(
      atPath: place.directory.state, withIntermediateDirectories: true)
    let probe = try #require(WriteProbe(place.directory))
    #expect(await probe.objection(now: 0) == nil)
    try place.remove("data/state")
    try place.write("data/state", "")
    // What was tried holds for a second.
    #expect(await probe.objection(now: 900_000_000) == nil)
    let objection = await probe.objection(now: 1_000_000_000)
    #expect(objection?.contains("nothing can be written") == true)
    try place.remove("data/state")
    try FileManager.default.createDirectory(
      atPath: place.directory.state, withIntermediateDirectories: true)
    #expect(await probe.objection(now: 2_000_000_000) == nil)
  }

  /// The first line says what is served where, by which rules of time.
  @Test func theFirstLineNamesWhatIsServed() async throws {
    let place = try TestPlace()
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let running = try await RunningService(place.open(clock), on: clock)
    await running.pass(60)
    await running.stop()
    let line = try #require(place.log.first { $0.contains("event=serving") })
    for field in [
      "version=", "configuration=", "data=", "admin=127.0.0.1:0",
      "tzdata=\(TestPlace.zones.version)",
      "tzdataAge=", "days old",
    ] { #expect(line.contains(field), "\(line)") }
  }
}
