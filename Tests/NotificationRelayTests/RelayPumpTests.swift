import CivilTime
import Foundation
import Foundations
import Ledger
import LedgerStore
import Sandbox
import Scheduling
import StrictJSON
import TestSupport
import Testing

@testable import NotificationRelay

/// Pumps from a real ledger to sinks: in order, at least once, the same ids, and what is on the disk about it.
@Suite(.offThePool) struct RelayPumpTests {
  private let place: RelayPlace

  init() async throws { place = try await RelayPlace() }

  @Test func deliversWhatWasCommittedBeforeAndAfter() async throws {
    try place.commit("a", "b")
    try await place.deliver(to: place.file)
    try place.commit("c")
    try await place.deliver(to: place.file)
    #expect(place.delivered() == ["a", "b", "c"])
    let progress = try place.progress()
    #expect(progress.cursor == place.store.head)
  }

  /// Whoever commits says so and goes on; the pump comes after.
  @Test func followsTheHead() async throws {
    let pump = try place.pump(place.file)
    let running = Task { await pump.run() }
    for number in 0..<200 {
      try place.commit("u\(1_000 + number)")
      pump.noteCommit()
    }
    #expect(await eventually { place.delivered().count == 200 })
    await pump.finish(withinSeconds: 600)
    await running.value
    #expect(place.delivered() == (0..<200).map { "u\(1_000 + $0)" })
  }

  @Test func aBacklogGoesThroughABoundedQueue() async throws {
    for _ in 0..<40 { try place.commit((0..<250).map { "u\($0)" }) }
    let sink = ObedientSink(shipmentsAtOnce: 16)
    try await place.deliver(to: sink)
    #expect(sink.events.count == 10_000)
    #expect(sink.mostUnderWay <= 16)
    var last: [String: Int] = [:]
    for event in sink.events {
      let (user, seq) = (event.subject ?? "", Int(event.id.split(separator: "/")[1]) ?? 0)
      #expect(seq > last[user] ?? 0)
      last[user] = seq
    }
    #expect(last.count == 250)
  }

  @Test func aFailureIsTriedAgainAndTheOthersGoOn() async throws {
    let sink = ObedientSink(shipmentsAtOnce: 1)
    sink.answer(.failed(DeliveryFailure("HTTP 500", status: 500, isSinkWide: false)))
    try place.commit("a", "a", "b")
    let pump = try place.pump(sink)
    let running = Task { await pump.run() }
    #expect(await eventually { sink.events.count == 1 })
    #expect(sink.events.map(\.subject) == ["b"])
    await place.clock.run(until: place.clock.now().adding(seconds: 10))
    #expect(await eventually { sink.events.count == 3 })
    #expect(sink.events.map(\.subject) == ["b", "a", "a"])
    await pump.finish(withinSeconds: 600)
    await running.value
    let attempts = try place.attempts().map {
      "\($0.lane.user) \($0.attempt) \($0.outcome) \($0.status ?? 0)"
    }
    #expect(
      attempts == ["a 1 failed 500", "b 1 delivered 200", "a 2 delivered 200", "a 1 delivered 200"])
    let progress = try place.progress()
    #expect(progress.cursor == place.store.head && progress.behind.isEmpty)
    #expect(progress.delivered == 3 && progress.failures == 1)
  }

  /// A sink that has refused the first of two events once.
  private func sinkThatIsBehind() async throws -> ObedientSink {
    let sink = ObedientSink(shipmentsAtOnce: 1)
    sink.answer(.failed(DeliveryFailure("HTTP 500", status: 500, isSinkWide: false)))
    try place.commit("a", "b")
    try await place.deliver(to: sink)
    return sink
  }

  /// What waits for its retry is on the disk: it comes again after a restart, when its time has come, and counts on.
  @Test func aRetryOutlivesARestart() async throws {
    let sink = try await sinkThatIsBehind()
    #expect(sink.events.map(\.subject) == ["b"])
    try await place.deliver(to: sink)
    #expect(sink.events.map(\.subject) == ["b"])
    await place.clock.run(until: place.clock.now().adding(seconds: 10))
    try await place.deliver(to: sink)
    #expect(sink.events.map(\.subject) == ["b", "a"])
  }

  /// A clock that was ahead has put a retry off to a time that is far away again: it comes with the next start.
  @Test func aRetryDoesNotWaitForAFutureThatWasNone() async throws {
    let sink = try await sinkThatIsBehind()
    #expect(sink.events.map(\.subject) == ["b"])
    place.clock.step(bySeconds: -7_200)
    sink.answer(.failed(DeliveryFailure("HTTP 500", status: 500, isSinkWide: false)))
    try await place.deliver(to: sink)
    #expect(sink.events.map(\.subject) == ["b"])
    // From the first right start on its file bears right times, by which later ones wait.
    try await place.deliver(to: sink)
    #expect(sink.events.map(\.subject) == ["b"])
    #expect(try place.progress().failures == 2)
    await place.clock.run(until: place.clock.now().adding(seconds: 400))
    try await place.deliver(to: sink)
    #expect(sink.events.map(\.subject) == ["b", "a"])
  }

  /// Nor does it while the pump runs on, or once it is resumed.
  @Test(arguments: [false, true]) func aClockThatIsSetBackPutsNothingOff(isPaused: Bool)
    async throws
  {
    let sink = ObedientSink(shipmentsAtOnce: 1)
    let failure = DeliveryOutcome.failed(DeliveryFailure("HTTP 503", status: 503, isSinkWide: true))
    sink.answer(failure, failure, failure, failure, failure)
    try place.commit("a", "b", "c", "d", "e")
    let pump = try place.pump(sink)
    let running = Task { await pump.run() }
    #expect(await eventually { await pump.figures.isOpen })
    if isPaused { try await pump.pause(reason: "a test", actor: "me") }
    place.clock.step(bySeconds: -7_200)
    await pump.noteClockSetBack()
    if isPaused {
      #expect(await pump.figures.isPaused)
      try await pump.resume(actor: "me")
    }
    #expect(await eventually { sink.events.count == 5 })
    await pump.finish(withinSeconds: 600)
    await running.value
    #expect(try place.progress().behind.isEmpty)
  }

  /// However often somebody sets the clock back, an event does not die of it.
  @Test func triesThatAClockForcesAreFree() async throws {
    let sink = ObedientSink()
    let failure = DeliveryOutcome.failed(
      DeliveryFailure("HTTP 500", status: 500, isSinkWide: false))
    sink.answer(failure)
    try place.commit("a")
    let pump = try place.pump(sink)
    let running = Task { await pump.run() }
    for count in 1...20 {
      try #require(await eventually { await pump.figures.progress.failures == count })
      sink.answer(failure)
      place.clock.step(bySeconds: -400)
      await pump.noteClockSetBack()
    }
    try #require(await eventually { await pump.figures.progress.failures == 21 })
    #expect(await pump.figures.progress.behind.values.map(\.attempts) == [1])
    #expect(await pump.figures.progress.deadLetters == 0)
    await pump.finish(withinSeconds: 600)
    await running.value
  }

  /// A machine without a clock of its own starts in 1970, say: nothing is removed or tried by that.
  @Test func aClockInDoubtDecidesNothing() async throws {
    let sink = try await sinkThatIsBehind()
    for days in [-20_000, 40] as [Int64] {
      place.clock.step(bySeconds: days * 86_400)
      var parts = try place.parts(sink)
      parts.clock = ClockInDoubt(base: place.clock)
      let pump = RelayPump(parts)
      await pump.finish(withinSeconds: 600)
      await pump.run()
      place.clock.step(bySeconds: -days * 86_400)
      #expect(try place.attempts().first?.lane.user == "a")
    }
  }

  private struct ClockInDoubt: ServiceClock {
    let base: VirtualClock
    var isInDoubt: Bool { true }

    func now() -> Instant { base.now() }
    func sleep(until instant: Instant) async throws { try await base.sleep(until: instant) }
    func sleep(seconds: Double) async throws { try await base.sleep(seconds: seconds) }
    func beginWork() { base.beginWork() }
    func endWork() { base.endWork() }
  }

  @Test func deadLettersCanBeSentAgain() async throws {
    let sink = ObedientSink(shipmentsAtOnce: 1)
    sink.answer(.refused(reason: "never", status: 400))
    try place.commit("a", "a")
    try await place.deliver(to: sink)
    #expect(sink.events.count == 1)
    #expect(try place.progress().deadLetters == 1)
    let pump = try place.pump(sink)
    try await pump.replay(["a": [EventPosition(seq: 3)]], actor: "me")
    await pump.finish(withinSeconds: 600)
    await pump.run()
    #expect(sink.events.count == 2)
    #expect(sink.events.last?.id == "\(place.store.report.ledger)/3")
    #expect(try place.progress().deadLetters == 0)
  }

  /// However many ask at once, each of it is recorded once.
  @Test func actsOfManyOperatorsAtOnceAreRecordedOnce() async throws {
    let sink = ObedientSink()
    try place.commit((0..<20).map { "u\($0)" })
    let pump = try place.pump(sink)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await pump.replay(
            ["u\(number)": [EventPosition(seq: 3 + UInt64(number))]], actor: "me")
        }
      }
      try await group.waitForAll()
    }
    await pump.finish(withinSeconds: 600)
    await pump.run()
    let again = try place.attempts().filter { $0.lane.kind == .replay }
    #expect(again.map(\.lane.user).sorted() == (0..<20).map { "u\($0)" }.sorted())
    #expect(sink.events.count == 40)
  }

  @Test func aPauseHoldsThroughRestarts() async throws {
    let sink = ObedientSink()
    sink.answer(.gone(reason: "HTTP 410"))
    try place.commit("a")
    try await place.deliver(to: sink)
    try place.commit("b")
    try await place.deliver(to: sink)
    #expect(sink.events.isEmpty)
    let pause = try place.progress().pause
    #expect(pause?.reason == "HTTP 410" && pause?.actor == "relay")
    let pump = try place.pump(sink)
    try await pump.resume(actor: "me")
    await pump.finish(withinSeconds: 600)
    await pump.run()
    #expect(Set(sink.events.map(\.subject)) == ["a", "b"])
  }

  /// Whoever never answers does not keep the service from stopping; the event comes again.
  @Test func stoppingGivesUpWhatIsUnderWay() async throws {
    let sink = ObedientSink()
    sink.hold(on: place.clock)
    try place.commit("a")
    let pump = try place.pump(sink)
    let running = Task { await pump.run() }
    #expect(await eventually { sink.underWay == 1 })
    await pump.finish(withinSeconds: 10)
    await place.clock.run(until: place.clock.now().adding(seconds: 20))
    await running.value
    #expect(try place.progress().delivered == 0)
    try await place.deliver(to: sink)
    #expect(sink.events.last?.subject == "a")
  }

  @Test func sendsAgainWithTheSameIdsWhenTheLogDidNotGrow() async throws {
    try place.commit("a")
    try await place.deliver(to: place.file)
    let folder = "\(place.directory.relay)/journal"
    let copy = "\(place.folder.path)/copy"
    try FileManager.default.copyItem(atPath: folder, toPath: copy)
    try place.commit("b", "c")
    try await place.deliver(to: place.file)
    // A crash between the append and the record of it.
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.moveItem(atPath: copy, toPath: folder)
    try await place.deliver(to: place.file)
    #expect(place.delivered() == ["a", "b", "c", "b", "c"])
    let ids = place.delivered("id")
    #expect(Set(ids).count == 3)
    #expect(ids[1...2] == ids[3...4])
  }

  @Test(arguments: [1, 40, 150])
  func aTornLineIsNotGluedToTheNextEvent(bytesLeft: Int) async throws {
    try place.commit("a")
    try await place.deliver(to: place.file)
    let text = place.read("events.jsonl")
    try place.folder.write("events.jsonl", text + text.prefix(bytesLeft))
    try place.commit("b")
    try await place.deliver(to: place.file)
    #expect(place.delivered() == ["a", "b"])
  }

  /// Nobody knows what was sent: all of it comes again, with the same ids, and what cannot be read is put aside.
  @Test(arguments: ["", "{", "{\"progress\":1}\n", "null\n", "changed"])
  func whereASinkStandsIsDoubtful(text: String) async throws {
    try place.commit("a")
    try await place.deliver(to: place.file)
    let file = "\(place.directory.relay)/journal/progress.json"
    let whole = try String(contentsOfFile: file, encoding: .utf8)
    let changed =
      text == "changed" ? whole.replacing("\"failures\":0", with: "\"failures\":1") : text
    try Data(changed.utf8).write(to: URL(fileURLWithPath: file))
    #expect(throws: RelayError.self) { try place.progress() }
    #expect(try place.sink().flaws().count == 1)
    // Nobody but the service decides that.
    #expect(throws: RelayError.self) {
      try SinkWriter("journal", in: place.directory, place.terms)
    }
    let writer = try place.writer()
    #expect(writer.doubt?.remedy.contains("the same ids") == true)
    #expect(try String(contentsOfFile: file + ".damaged", encoding: .utf8) == changed)
    try await place.deliver(to: place.file)
    #expect(place.delivered() == ["a", "a"])
    #expect(Set(place.delivered("id")).count == 1)
    #expect(try place.sink().flaws() == [])
    #expect(try place.writer().doubt == nil)
  }

  /// Every bit of the file counts.
  @Test func aChangedBitIsSeen() async throws {
    let sink = try await sinkThatIsBehind()
    #expect(sink.events.count == 1)
    let file = "\(place.directory.relay)/journal/progress.json"
    let whole = try Data(contentsOf: URL(fileURLWithPath: file))
    for (offset, bit) in zip(whole.indices, 0...) {
      var changed = whole
      changed[offset] ^= 1 << (bit % 8)
      try changed.write(to: URL(fileURLWithPath: file))
      #expect(throws: RelayError.self, "byte \(offset)") { try place.progress() }
    }
  }

  @Test func refusesAFolderOfAnotherLedgerAndOfANewerForm() async throws {
    try place.commit("a")
    try await place.deliver(to: place.file)
    #expect(throws: RelayError.self) {
      try SinkWriter(
        "journal", in: place.directory, SinkWriter.Terms(ledger: "another"), mayBeginAnew: true)
    }
    // Whatever else may stand in it.
    let newer = Array(#"{"progress":2,"places":[]"#.utf8)
    try place.sink().replace(place.sink().progressFile, with: SinkFolder.Kept.closed(newer[...]))
    do {
      _ = try place.writer()
      Issue.record("a form that nobody knows was read")
    } catch let error as RelayError {
      #expect(error.cause.contains("format 2") && error.remedy.contains("a later one"))
    }
  }

  @Test func aFileThatCannotBeWrittenIsTriedAgain() async throws {
    let sink = FileSink(
      path: "\(place.folder.path)/away/events.jsonl", fileSystem: PosixFileSystem())
    let pump = try place.pump(sink)
    let running = Task { await pump.run() }
    try place.commit("a")
    pump.noteCommit()
    #expect(await eventually { await pump.trouble?.contains("No such file") == true })
    try FileManager.default.createDirectory(
      atPath: "\(place.folder.path)/away", withIntermediateDirectories: true)
    await place.clock.run(until: place.clock.now().adding(seconds: 10))
    #expect(await eventually { place.read("away/events.jsonl").contains("\"subject\":\"a\"") })
    await pump.finish(withinSeconds: 600)
    await running.value
    #expect(await pump.trouble == nil)
  }
}
