import CivilTime
import Foundation
import Foundations
import LedgerStore
import NotificationRelay
import Sandbox
import Scheduling
import StrictJSON
import TestSupport
import Testing

@testable import Operations

/// What those who watch over a service are told: once when it begins, once when it ends, also over a restart.
@Suite(.offThePool) struct TroublesTests {
  private static let noon = Instant(seconds: 1_795_176_000)

  private final class Ears: Sendable {
    private let heard = Lock<[CloudEvent]>([])
    func hear(_ event: CloudEvent) { heard.withLock { $0.append(event) } }
    var words: [String] {
      heard.withLock {
        $0.map { $0.type.fullName.replacing("com.cheer-supports.operations.", with: "") }
      }
    }
    var events: [CloudEvent] { heard.withLock { $0 } }
  }

  @Test func eachIsToldOnceWhenItBeginsAndOnceWhenItEnds() async throws {
    let folder = try TemporaryFolder()
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let directory = DataDirectory(folder.path)
    try FileManager.default.createDirectory(
      atPath: directory.state, withIntermediateDirectories: true)
    let troubles = await Troubles.restore(directory, ledger: "l", clock: clock)
    let ears = Ears()
    troubles.subscribe { ears.hear($0) }
    troubles.end(.disk)
    #expect(ears.words == [])
    troubles.begin(.disk, reason: "full")
    troubles.begin(.disk, reason: "still full")
    troubles.begin(.sink, of: "notify", reason: "410")
    troubles.begin(.sink, of: "other", reason: "410")
    #expect(ears.words == ["disk-full.v1", "sink-paused.v1", "sink-paused.v1"])
    #expect(troubles.subjects(of: .sink) == ["notify", "other"])
    await clock.run(until: Self.noon.adding(seconds: 90))
    troubles.end(.disk, hiding: (users: 7, days: 2))
    troubles.end(.disk)
    #expect(ears.words.last == "disk-writable.v1")
    let data = try JSONNode.parse(Array(try #require(ears.events.last).data.utf8))
    #expect(data["seconds"]?.int == 90)
    #expect(data["users"]?.int == 7)
    #expect(data["since"]?.string == Self.noon.description)

    // A restart: what goes on is told again with the same id, and its end by whoever finds it over.
    let file = "\(directory.state)/troubles.json"
    #expect(await eventually { FileManager.default.fileExists(atPath: file) })
    var again = await Troubles.restore(directory, ledger: "l", clock: clock)
    #expect(
      await eventually {
        again = await Troubles.restore(directory, ledger: "l", clock: clock)
        return again.subjects(of: .disk) == [] && again.subjects(of: .sink) == ["notify", "other"]
      })
    let later = Ears()
    again.subscribe { later.hear($0) }
    let paused = ears.events.filter { $0.type == .sinkPaused }
    #expect(Set(later.events.map(\.id)) == Set(paused.map(\.id)))
    again.end(.sink, of: "notify")
    #expect(later.words.last == "sink-resumed.v1")
  }

  /// The whole way: an API that breaks down and comes back, told to a file that asks for operations and to no other.
  @Test func anOutageIsToldToWhoeverAsks() async throws {
    let server = try StatusServer(200)
    var settings = TestPlace.Settings()
    settings.baseURL = server.url
    settings.relay = """
      {"pager": {"kind": "file", "path": "./pager.jsonl", "events": ["operations"]},
       "journal": {"kind": "file", "path": "./events.jsonl"}}
      """
    let place = try TestPlace(settings)
    try place.write("users.jsonl", "{\"user\":\"ann\",\"timezone\":\"Asia/Tokyo\"}\n")
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let running = try await RunningService(place.open(clock), on: clock)
    await running.pass(2 * 3_600)
    server.answer(with: 503)
    await running.pass(4 * 3_600)
    server.answer(with: 200)
    await running.pass(2 * 3_600)
    await running.stop()
    let told = try place.read("pager.jsonl").split(separator: "\n").map {
      try JSONNode.parse(Array($0.utf8))
    }
    let types = told.compactMap {
      $0["type"]?.string?.replacing("com.cheer-supports.operations.", with: "")
    }
    #expect(types.filter { $0.hasPrefix("outage") } == ["outage-began.v1", "outage-ended.v1"])
    let ended = told.last { $0["type"]?.string?.contains("outage-ended") == true }
    #expect(ended?["data"]?["users"]?.int == 1)
    // The day of Tokyo ended at 15:00 UTC, in the middle of it.
    #expect(ended?["data"]?["days"]?.int == 1)
    #expect(!place.read("events.jsonl").contains("operations"))
    await server.stop()
  }
}
