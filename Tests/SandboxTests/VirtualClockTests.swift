import CivilTime
import Foundations
import Sandbox
import Scheduling
import TestSupport
import Testing

/// Whether time stands still while somebody works, and jumps in the right order when nobody does.
@Suite(.offThePool) struct VirtualClockTests {
  private let start = Instant(seconds: 1_700_000_000)

  /// What happened, in order.
  private final class Journal: Sendable {
    private let lines = Lock<[String]>([])

    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  @Test func weeksPassInNoTime() async {
    let clock = VirtualClock(at: start, until: start)
    let end = start.adding(seconds: 10 * 7 * 86_400)
    let ticks = Lock(0)
    let loop = clock.start { [start] in
      var next = start
      while next < end {
        next = next.adding(seconds: 900)
        try? await clock.sleep(until: next)
        ticks.withLock { $0 += clock.now() == next ? 1 : 0 }
      }
    }
    await clock.run(until: end)
    #expect(clock.now() == end)
    #expect(ticks.withLock { $0 } == 10 * 7 * 96)
    await loop.value
  }

  @Test func timeStandsStillWhileAChildWorks() async {
    let clock = VirtualClock(at: start, until: start)
    let journal = Journal()
    let seconds = { @Sendable [start] in clock.now().seconds(since: start) }
    let loop = clock.start {
      for round in 1...3 {
        clock.beginWork()
        Task {
          for _ in 1...20 { await Task.yield() }
          journal.note("child \(round) at \(seconds())")
          try? await clock.sleep(seconds: 0.5)
          journal.note("child \(round) again at \(clock.now().nanoseconds / 1_000_000) ms")
          clock.endWork()
        }
        try? await clock.sleep(seconds: 60)
        journal.note("loop at \(seconds())")
      }
    }
    await clock.run(until: start.adding(seconds: 1_000))
    await loop.value
    #expect(
      journal.all
        == (1...3).flatMap { round in
          [
            "child \(round) at \(60 * (round - 1))", "child \(round) again at 500 ms",
            "loop at \(60 * round)",
          ]
        })
  }

  @Test func equalInstantsWakeInTheOrderOfLyingDown() async {
    let clock = VirtualClock(at: start, until: start)
    let journal = Journal()
    let due = start.adding(seconds: 10)
    for name in 0..<20 {
      // One after the other: the next begins when the one before has lain down.
      _ = clock.start {
        try? await clock.sleep(until: due)
        journal.note("\(name)")
      }
      await clock.run(until: start)
    }
    await clock.run(until: due)
    #expect(journal.all == (0..<20).map { "\($0)" })
  }

  @Test func runStopsAtItsLimitAndGoesOn() async {
    let clock = VirtualClock(at: start, until: start)
    let journal = Journal()
    for delay in [30, 10, 20] {
      _ = clock.start {
        try? await clock.sleep(seconds: Double(delay))
        journal.note("\(delay)")
      }
    }
    await clock.run(until: start.adding(seconds: 9))
    #expect(journal.all.isEmpty)
    #expect(clock.workload == (unitsInHand: 0, asleep: 3))
    await clock.run(until: start.adding(seconds: 20))
    #expect(journal.all == ["10", "20"])
    #expect(clock.now() == start.adding(seconds: 20))
    await clock.run(until: start.adding(seconds: 3_600))
    #expect(journal.all == ["10", "20", "30"])
    #expect(clock.now() == start.adding(seconds: 3_600))
  }

  @Test func aClockWithoutALimitRunsByItself() async throws {
    let clock = VirtualClock(at: start)
    clock.beginWork()
    try await clock.sleep(seconds: 1e9)
    #expect(clock.now() == start.adding(seconds: 1_000_000_000))
    clock.endWork()
  }

  @Test func whoWorkedWhileTimeJumpedSeesThatAtOnceAndOthersWakeLateInTheirOrder() async {
    let clock = VirtualClock(at: start, until: start)
    let journal = Journal()
    let seconds = { @Sendable [start] in clock.now().seconds(since: start) }
    let later = [20, 10].map { due in
      clock.start {
        try? await clock.sleep(seconds: Double(due))
        journal.note("\(due) at \(seconds())")
      }
    }
    await clock.run(until: start.adding(seconds: 5))
    clock.beginWork()
    clock.jump(to: start.adding(seconds: 60))
    journal.note("at work at \(seconds())")
    clock.jump(to: start.adding(seconds: 40))
    clock.endWork()
    await clock.run(until: start.adding(seconds: 60))
    for task in later { await task.value }
    #expect(journal.all == ["at work at 60", "10 at 60", "20 at 60"])
  }

  @Test func whatHasPassedIsNotSleptFor() async throws {
    let clock = VirtualClock(at: start, until: start)
    try await clock.sleep(until: start)
    try await clock.sleep(until: .earliest)
    try await clock.sleep(seconds: 0)
    try await clock.sleep(seconds: -5)
    #expect(clock.now() == start)
  }

  @Test func cancellationWakesASleeperWithItsUnit() async {
    let clock = VirtualClock(at: start, until: start)
    let journal = Journal()
    let sleeper = clock.start {
      do {
        try await clock.sleep(until: .latest)
      } catch {
        journal.note("\(type(of: error)) with \(clock.workload.unitsInHand) unit")
      }
      do {
        try await clock.sleep(seconds: 1)
      } catch {
        journal.note("and again")
      }
    }
    await clock.run(until: start)
    #expect(clock.workload == (unitsInHand: 0, asleep: 1))
    sleeper.cancel()
    await sleeper.value
    #expect(journal.all == ["CancellationError with 1 unit", "and again"])
    #expect(clock.workload == (unitsInHand: 0, asleep: 0))
    await clock.run(until: start.adding(seconds: 60))
    #expect(clock.now() == start.adding(seconds: 60))
  }

  @Test(arguments: [-86_400, -1, 0, 1, 86_400] as [Int64])
  func aStepOfTheWallClockLeavesSleepersTheirTime(step: Int64) async {
    let clock = VirtualClock(at: start, until: start)
    let journal = Journal()
    for delay in [100, 200] {
      _ = clock.start { [start] in
        try? await clock.sleep(until: start.adding(seconds: Int64(delay)))
        journal.note("\(clock.now().seconds(since: start) - step)")
      }
    }
    await clock.run(until: start.adding(seconds: 50))
    clock.step(bySeconds: step)
    #expect(clock.now() == start.adding(seconds: 50 + step))
    await clock.run(until: start.adding(seconds: 1_000 + step))
    #expect(journal.all == ["100", "200"])
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func anySchedulePassesInOrderAndTheSameTwice(seed: UInt64) async {
    func play() async -> [String] {
      let clock = VirtualClock(at: start, until: start)
      let journal = Journal()
      for name in 0..<30 {
        // Started one after the other, so that both plays lie down in the same order.
        _ = clock.start {
          var random = SplitMix64(seed: seed, UInt64(name))
          for _ in 0..<20 {
            let delay = Double(random.number(in: 1...40)) / 4
            if random.chance(0.05) { continue }
            try? await clock.sleep(seconds: delay)
            journal.note("\(clock.now()) \(name)")
          }
        }
        await clock.run(until: start)
      }
      await clock.run(until: start.adding(seconds: 10_000))
      return journal.all
    }
    let first = await play()
    let instants = first.map { $0.split(separator: " ")[0] }
    #expect(first.count > 400)
    // Texts of unequal length do not sort as instants do; whole quarters of a second do, padded.
    let padded = instants.map { $0.dropLast().padding(to: 23) }
    #expect(padded == padded.sorted())
    #expect(first == (await play()))
  }
}

extension Substring {
  /// The text with zeros appended after a point, so that instants sort.
  fileprivate func padding(to count: Int) -> String {
    let text = contains(".") ? String(self) : self + "."
    return text + String(repeating: "0", count: Swift.max(0, count - text.count))
  }
}
