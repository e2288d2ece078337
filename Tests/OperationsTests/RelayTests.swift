import CivilTime
import Foundation
import Ledger
import LedgerStore
import NotificationRelay
import Operations
import StrictJSON
import TestSupport
import Testing
import Threading

/// The file sink and the pump that feeds it: in order, at least once, the same ids.
@Suite(.offThePool) struct RelayTests {
  private let place: TestPlace
  private let store: LedgerStore
  private let folder: String

  init() async throws {
    let place = try TestPlace()
    let folder = "\(place.path)/cursor"
    let directory = place.directory
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    store = try await BlockingThread(named: "test").run {
      try LedgerStore.open(
        LedgerConfiguration(directory: directory, program: "rewards test", command: "test"),
        LedgerStore.Dependencies(
          clock: { Instant(seconds: 1_795_176_000) }, randomBytes: RandomBytes.make))
    }
    self.place = place
    self.folder = folder
  }

  private func sink() throws -> FileSink {
    try FileSink(
      path: "\(place.path)/events.jsonl", folder: folder, ledger: store.report.ledger)
  }

  private func level(_ user: String) -> RecordBody {
    .level(LevelRecord(user: user, level: 2, effective: Instant(seconds: 0)))
  }

  /// Commits one batch; its records and its seal.
  @discardableResult
  private func commit(_ users: String...) throws -> (records: [Record], head: LedgerHead) {
    let records = try store.append(users.map { level($0) })
    return (records, store.head)
  }

  /// The users of the events in the file, in order; nil for a line that is no event.
  private func delivered() -> [String?] {
    place.read("events.jsonl").split(separator: "\n").map { line in
      (try? JSONNode.parse(Array(line.utf8)))?["subject"]?.string
    }
  }

  private func ids() -> [String?] {
    place.read("events.jsonl").split(separator: "\n").map { line in
      (try? JSONNode.parse(Array(line.utf8)))?["id"]?.string
    }
  }

  @Test func deliversWhatWasCommittedBeforeAndAfter() async throws {
    try commit("a", "b")
    let pump = RelayPump(sink: try sink(), store: store)
    await pump.deliver()
    try commit("c")
    await pump.deliver()
    #expect(delivered() == ["a", "b", "c"])
    #expect(await pump.failure == nil)
  }

  /// Whoever commits says so and goes on; the pump comes after.
  @Test func followsTheHead() async throws {
    let sink = try sink()
    let pump = RelayPump(sink: sink, store: store)
    let running = Task { await pump.run() }
    for number in 0..<200 {
      try commit("u\(1_000 + number)")
      pump.noteCommit()
    }
    #expect(await eventually { await sink.cursor.seq == store.head.seq })
    await pump.finish()
    await running.value
    #expect(delivered() == (0..<200).map { "u\(1_000 + $0)" })
  }

  @Test func manyDeliveriesAtOnceStayInOrder() async throws {
    let pump = RelayPump(sink: try sink(), store: store)
    try await withThrowingDiscardingTaskGroup { group in
      for number in 0..<200 {
        try commit("u\(1_000 + number)")
        group.addTask { await pump.deliver() }
      }
    }
    #expect(delivered() == (0..<200).map { "u\(1_000 + $0)" })
  }

  @Test func goesOnWhereItWasAfterARestart() async throws {
    try commit("a")
    await RelayPump(sink: try sink(), store: store).deliver()
    try commit("b")
    await RelayPump(sink: try sink(), store: store).deliver()
    #expect(delivered() == ["a", "b"])
  }

  @Test func sendsAgainWithTheSameIdsWhenTheCursorDidNotMove() async throws {
    try commit("a")
    await RelayPump(sink: try sink(), store: store).deliver()
    let before = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/cursor.json"))
    try commit("b", "c")
    await RelayPump(sink: try sink(), store: store).deliver()
    // A crash between the append and the cursor.
    try before.write(to: URL(fileURLWithPath: "\(folder)/cursor.json"))
    await RelayPump(sink: try sink(), store: store).deliver()
    #expect(delivered() == ["a", "b", "c", "b", "c"])
    let ids = ids()
    #expect(Set(ids).count == 3)
    #expect(ids[1...2] == ids[3...4])
  }

  @Test(arguments: [1, 40, 150])
  func aTornLineIsNotGluedToTheNextEvent(bytesLeft: Int) async throws {
    try commit("a")
    await RelayPump(sink: try sink(), store: store).deliver()
    let text = place.read("events.jsonl")
    try place.write("events.jsonl", text + text.prefix(bytesLeft))
    try commit("b")
    await RelayPump(sink: try sink(), store: store).deliver()
    #expect(delivered() == ["a", "b"])
  }

  @Test(arguments: ["", "{", "{\"seq\":5}", "{\"seq\":-1,\"hash\":\"00\"}", "null\n"])
  func refusesADamagedCursor(text: String) async throws {
    try place.write("cursor/cursor.json", text)
    #expect(throws: FileSink.Failure.self) { try sink() }
  }

  @Test func refusesACursorThatCannotBeRead() async throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder)/cursor.json", withIntermediateDirectories: true)
    #expect(throws: FileSink.Failure.self) { try sink() }
  }

  @Test func aSinkThatFailsIsTriedAgain() async throws {
    let sink = try FileSink(
      path: "\(place.path)/away/events.jsonl", folder: folder, ledger: store.report.ledger)
    let pump = RelayPump(sink: sink, store: store)
    try commit("a")
    await pump.deliver()
    #expect(await pump.failure?.contains("No such file") == true)
    try FileManager.default.createDirectory(
      atPath: "\(place.path)/away", withIntermediateDirectories: true)
    await pump.deliver()
    #expect(await pump.failure == nil)
    #expect(place.read("away/events.jsonl").contains("\"subject\":\"a\""))
  }
}
