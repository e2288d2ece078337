import CivilTime
import Configuration
import Operations
import Scheduling
import TestSupport
import Testing

/// A start holds its wall clock against what an earlier process of the same boot has found right.
@Suite(.offThePool) struct ClockMarkTests {
  /// Both clocks of a machine, as they stand.
  private struct StandingClock: ServiceClock {
    let wall: Instant
    let elapsed: Int64
    let boot: String?

    func now() -> Instant { wall }
    func sinceBoot() -> Int64? { elapsed * 1_000_000_000 }
    func sleep(until instant: Instant) async throws {}
    func sleep(seconds: Double) async throws {}
    func beginWork() {}
    func endWork() {}
  }

  private static let begin = Instant(seconds: 1_795_176_000)

  private func start(
    at place: TestPlace, wallPassed: Int64, bootPassed: Int64, boot: String? = "b1"
  ) async throws {
    let clock = StandingClock(
      wall: Self.begin.adding(seconds: wallPassed), elapsed: 500 + bootPassed, boot: boot)
    let runtime = try await place.openTrusting(clock)
    await runtime.close()
  }

  @Test(arguments: [
    // Set three days forwards, and an hour, while nothing ran; set back.
    (259_210, 10, "b1", false), (3_610, 10, "b1", false), (10, 3_610, "b1", false),
    // Only time has passed, or a little more.
    (3_600, 3_600, "b1", true), (300, 10, "b1", true),
    // Another boot: its clock began anew.
    (3_610, -400, "b2", true), (3_610, 10, nil, true),
  ])
  func aStartHoldsTheClock(wall: Int64, elapsed: Int64, boot: String?, isTrusted: Bool) async throws
  {
    let place = try TestPlace()
    try await start(at: place, wallPassed: 0, bootPassed: 0)
    if isTrusted {
      try await start(at: place, wallPassed: wall, bootPassed: elapsed, boot: boot)
      return
    }
    // However often it is tried, until the clock is right again.
    for _ in 1...2 {
      await #expect(throws: RuntimeError.self) {
        try await start(at: place, wallPassed: wall, bootPassed: elapsed, boot: boot)
      }
    }
    try await start(at: place, wallPassed: 4_000, bootPassed: 4_000, boot: boot)
  }

  /// A mark that was made as the boot clock began is one like any other.
  @Test func theFirstInstantOfABootCounts() async throws {
    let place = try TestPlace()
    try await start(at: place, wallPassed: 0, bootPassed: -500)
    await #expect(throws: RuntimeError.self) {
      try await start(at: place, wallPassed: 3_610, bootPassed: -490)
    }
  }
}
