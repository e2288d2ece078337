import CivilTime
import Operations
import TestSupport
import Testing

/// The clock of `--now`.
@Suite(.offThePool) struct FixedClockTests {
  /// Pauses and rates are measured while the present stands still: else nobody would ever stop waiting.
  @Test func timePassesForWhoWaits() async throws {
    let present = Instant(seconds: 1_790_000_000)
    let clock = HeldClock(FixedClock(at: present))
    let before = clock.passing()
    try await clock.sleep(seconds: 0.01)
    #expect(clock.now() == present)
    #expect(clock.passing().interval(since: before) >= 0.01)
  }
}
