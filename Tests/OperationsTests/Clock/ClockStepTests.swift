import CivilTime
import Ledger
import NotificationRelay
import Sandbox
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// The clock of a running service is moved about, and its process stopped: nothing is doubled, no day is skipped.
@Suite(.offThePool) struct ClockStepTests {
  /// Twenty lives with five events each: a hundred points.
  @Test(arguments: Seeds.some(7, of: 0..<20)) func nothingIsDoubledAndNoDaySkipped(seed: Int)
    async throws
  {
    let life = try await SteppedLife(seed: seed, eventCount: 5)
    #expect(life.wrong == [], "seed \(seed)")
    #expect(life.events == 5)
    #expect(life.right > 20, "seed \(seed)")
    #expect(life.closes > 5, "seed \(seed)")
  }

  @Test func theEventsComeEquallyOften() {
    var counts: [String: Int] = [:]
    for seed in 0..<20 {
      for (_, event) in ClockEvent.plan(seed: seed, count: 5) {
        let kind = if case .stopped = event { "stopped" } else { "\(event)" }
        counts[kind, default: 0] += 1
      }
    }
    #expect(counts.count == 7)
    #expect(counts.values.allSatisfy { $0 >= 14 })
  }

  private static let noon = Instant(seconds: 1_795_176_000)

  /// A service with one user in Tokyo, whom nobody polls.
  private func service(_ place: TestPlace, on clock: VirtualClock) async throws -> RunningService {
    try place.write("users.jsonl", "{\"user\":\"ann\",\"timezone\":\"Asia/Tokyo\"}\n")
    try place.write("jobs/nightly.json", SteppedLife.nightly)
    let running = try await RunningService(place.open(clock), on: clock)
    await running.pass(1_800)
    return running
  }

  /// A place whose service tells `receiver` of what is granted.
  private func place(sendingTo receiver: StatusServer) throws -> TestPlace {
    var settings = TestPlace.Settings()
    settings.inboxEverySeconds = 30
    settings.relay =
      #"{"hook": {"kind": "webhook", "url": "\#(receiver.url)", "secret": {"file": "./hook-secret"}}}"#
    let place = try TestPlace(settings)
    try place.write(
      "hook-secret", "whsec_ZXZlbnRzIG9mIGEgc2ltdWxhdGlvbiwgb2Ygbm8gb3RoZXI=", isSecret: true)
    return place
  }

  /// The days that were closed, from the first to the last; nil when they do not follow each other.
  private func closedDays(_ place: TestPlace) throws -> Int? {
    let windows = try LedgerFacts(place.directory).closes["Asia/Tokyo"] ?? []
    let follow = zip(windows, windows.dropFirst()).allSatisfy { $0.end == $1.start }
    return follow ? windows.count : nil
  }

  @Test(arguments: [8, 30, 100] as [Int64])
  func anOperatorConfirmsAJumpForwards(days: Int64) async throws {
    let place = try TestPlace()
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let running = try await service(place, on: clock)
    await running.pass(86_400)
    #expect(running.reason == nil)
    let seq = running.seq
    clock.step(bySeconds: days * 86_400)
    await running.pass(2 * 86_400)
    #expect(running.seq == seq)
    #expect(running.reason?.contains("rewards doctor --accept-clock") == true)
    try await running.acceptClock()
    let readings = place.log.count { $0.contains("roster read") }
    await running.pass(3_600)
    #expect(running.reason == nil)
    #expect(place.log.count { $0.contains("roster read") } == readings + 1)
    await running.stop()
    #expect(try closedDays(place).map(Int64.init) == days + 3)
    // One fire before the jump, one within the job's catch-up, and all between them on record as missed.
    let runs = try LedgerFacts(place.directory).runs
    #expect(Set(runs.map(\.nominalLocal)).count == runs.count)
    #expect(runs.count { ["done", "attention"].contains($0.outcome) } == 2)
    #expect(runs.count { $0.outcome == "missed" } == Int(days) + 1)
  }

  /// Seven days may pass without anybody, and no more.
  @Test(arguments: [(-600, true), (600, false)] as [(Int64, Bool)])
  func theLimitIsMaxIdleDays(margin: Int64, isTrusted: Bool) async throws {
    let place = try TestPlace()
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let running = try await service(place, on: clock)
    let at = await running.runtime.writer.read { $0.ledger.at }
    await running.stop()
    await clock.run(until: at.adding(seconds: 7 * 86_400 + margin))
    let again = try await RunningService(place.open(clock), on: clock)
    await again.pass(300)
    #expect((again.reason == nil) == isTrusted)
    await again.stop()
    #expect(try closedDays(place) == (isTrusted ? 7 : 0))
  }

  /// A clock that was wrong for some hours and is set right again is not waited out to the bitter end.
  @Test func aClockThatIsSetRightIsNoticedSoon() async throws {
    let place = try TestPlace()
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let running = try await service(place, on: clock)
    clock.step(bySeconds: -3 * 86_400)
    await running.pass(3_600)
    #expect(running.reason?.contains("minutes back since") == true)
    clock.step(bySeconds: 3 * 86_400)
    await running.pass(300)
    #expect(running.reason == nil)
    // The same warning is not written once a minute.
    #expect(place.log.count { $0.contains("minutes back since") } == 1)
    #expect(place.log.count { $0.contains("the clock is right again") } == 1)
    await running.stop()
  }

  /// The hands are moved for a little while, and put back: no trace, nothing closed, nothing to wait for.
  @Test(arguments: [2 * 3_600, 3 * 86_400, 6 * 86_400, -2 * 3_600, -3 * 86_400] as [Int64])
  func aStepThatIsTakenBackLeavesNoTrace(seconds: Int64) async throws {
    var settings = TestPlace.Settings()
    settings.inboxEverySeconds = 30
    let place = try TestPlace(settings)
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let running = try await service(place, on: clock)
    await running.pass(86_400)
    let seq = running.seq
    clock.step(bySeconds: seconds)
    await running.pass(75)
    // A clock before the last record cannot be accepted; perhaps that was written by one that was ahead.
    let remedy = seconds == -3 * 86_400 ? "--undo-future" : "--accept-clock"
    #expect(running.reason?.contains(remedy) == true, "\(running.reason ?? "")")
    // Nobody's command gets through meanwhile.
    await #expect(throws: RuntimeError.self) {
      try await running.runtime.checkClock(isConfirmed: false)
    }
    clock.step(bySeconds: -seconds)
    await running.pass(120)
    #expect(running.reason == nil)
    #expect(running.seq == seq)
    await running.pass(2 * 86_400)
    await running.stop()
    #expect(try closedDays(place) == 3)
    let runs = try LedgerFacts(place.directory).runs
    #expect(runs.allSatisfy { $0.outcome == "done" || $0.outcome == "attention" })
  }

  /// Whoever asks for the time meanwhile is told what the boot clock makes of it.
  @Test func timeGoesOnByTheBootClock() async throws {
    let base = VirtualClock(at: Self.noon, until: Self.noon)
    let clock = HeldClock(base)
    let table: [(step: Int64, shows: Int64, parted: Int64?)] = [
      (0, 10, nil), (300, 320, nil), (1, 30, 301), (-601, -260, nil), (-1, 50, -301),
      (3 * 86_400, 60, 3 * 86_400 - 301), (301 - 3 * 86_400, 70, nil),
    ]
    for row in table {
      base.step(bySeconds: row.step)
      await base.run(until: base.now().adding(seconds: 10))
      #expect(clock.now() == Self.noon.adding(seconds: row.shows), "\(row)")
      #expect(clock.differenceSeconds == row.parted, "\(row)")
    }
    // What adds up slowly is followed.
    for day in 1...5 {
      base.step(bySeconds: 200)
      await base.run(until: base.now().adding(seconds: 86_401))
      #expect(clock.differenceSeconds == nil, "day \(day)")
      #expect(clock.now() == base.now())
    }
  }

  /// What a sink's failures put off while the clock was ahead is tried once that is right, also where it was never
  /// trusted before.
  @Test(arguments: [8, 400] as [Int64]) func noSinkWaitsForAFutureThatWasNone(days: Int64)
    async throws
  {
    let receiver = try StatusServer(503)
    let place = try place(sendingTo: receiver)
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let running = try await service(place, on: clock)
    await running.pass(86_400)
    await running.stop()
    clock.step(bySeconds: days * 86_400)
    let again = try await RunningService(place.open(clock), on: clock)
    await again.pass(4_000)
    receiver.answer(with: 200)
    clock.step(bySeconds: -days * 86_400)
    try await again.acceptClock()
    await again.pass(300)
    let pump = try #require(again.service.relay["hook"])
    #expect(await eventually { await pump.figures.progress.delivered == 1 })
    #expect(await pump.figures.progress.behind.isEmpty)
    await again.stop()
    await receiver.stop()
  }

  /// A small step puts deliveries off by no more than itself: it costs none of their tries.
  @Test func aSmallStepBackCostsNoTry() async throws {
    let receiver = try StatusServer(503)
    let place = try place(sendingTo: receiver)
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let running = try await service(place, on: clock)
    // Some hours after the day's close: the next try is hours away.
    await running.pass(25_200)
    let pump = try #require(running.service.relay["hook"])
    #expect(await eventually { await pump.figures.progress.failures == 5 })
    for _ in 0..<12 {
      clock.step(bySeconds: -10)
      await running.pass(70)
    }
    #expect(place.log.contains { $0.contains("the clock was set back") })
    #expect(await pump.figures.progress.failures == 5)
    await running.stop()
    await receiver.stop()
  }

  /// The process is started while the clock shows yesterday: it waits, and then goes on as if nothing had been.
  @Test func aStartBeforeTheLastRecordWaits() async throws {
    let place = try TestPlace()
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let running = try await service(place, on: clock)
    let seq = running.seq
    await running.stop()
    clock.step(bySeconds: -86_400)
    let again = try await RunningService(place.open(clock), on: clock)
    await again.pass(80_000)
    #expect(again.seq == seq)
    #expect(again.reason?.contains("behind") == true)
    await again.pass(2 * 86_400)
    #expect(again.reason == nil)
    await again.stop()
    #expect(try closedDays(place) == 2)
  }
}
