import CivilTime
import Operations
import Scheduling
import TestSupport
import Testing

@Suite(.offThePool) struct ClockTests {
  private static let clocks: [any ServiceClock] = [
    SystemClock(), FixedClock(at: Instant(seconds: 1_000)),
  ]

  @Test func theSystemClockRuns() {
    let clock = SystemClock()
    let first = clock.now()
    #expect(first > Instant(seconds: 1_700_000_000))
    #expect((0..<1_000_000_000).contains(first.nanoseconds))
    #expect(clock.now() >= first)
  }

  @Test func theFixedClockStands() {
    let instant = Instant(seconds: 1_795_186_800, nanoseconds: 5)
    let clock = FixedClock(at: instant)
    #expect(clock.now() == instant)
    #expect(clock.now() == instant)
  }

  @Test(arguments: [0, 1])
  func doesNotSleepForWhatHasPassed(index: Int) async throws {
    let clock = Self.clocks[index]
    let before = SystemClock().now()
    try await clock.sleep(until: clock.now().adding(seconds: -1))
    try await clock.sleep(until: .earliest)
    try await clock.sleep(seconds: 0)
    try await clock.sleep(seconds: -.infinity)
    #expect(SystemClock().now().seconds(since: before) < 60)
  }

  @Test(arguments: [0, 1])
  func wakesWhenItIsCancelled(index: Int) async {
    let clock = Self.clocks[index]
    let sleeper = Task { try await clock.sleep(until: .latest) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }
}
