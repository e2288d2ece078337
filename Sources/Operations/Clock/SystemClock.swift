package import CivilTime
internal import Foundations
internal import Glibc
internal import LinuxShims
import Scheduling

/// The machine's clocks. No other code asks the system for the time.
///
/// Decisions use the wall clock, sleeps the monotonic clock.
package struct SystemClock: ServiceClock {
  private static let longestSleepSeconds = 366.0 * 86_400

  /// The maximum difference between two readings of one clock, in seconds.
  private static let readingSeconds: Int64 = 5

  /// Creates access to this machine's clocks.
  package init() {}

  /// Returns the present, by the wall clock.
  package func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }

  /// Returns `CLOCK_BOOTTIME`, which no step of the wall clock moves.
  package func sinceBoot() -> Int64? {
    let nanoseconds = linux_boot_nanoseconds()
    return nanoseconds < 0 ? nil : nanoseconds
  }

  /// The kernel's name for this boot of the machine (`random(4)`, `boot_id`).
  package var boot: String? {
    let text = try? PosixFileSystem().readInput("/proc/sys/kernel/random/boot_id", limitBytes: 64)
    return text.map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
  }

  /// The state reported by `adjtimex(2)` for the clock that ``now()`` reads.
  package var isSynchronized: Bool? {
    var seconds: Int64 = 0
    let answer = linux_is_clock_synchronized(&seconds)
    if answer < 0 { return nil }
    return answer == 1 && abs(now().seconds - seconds) <= Self.readingSeconds
  }

  /// Suspends for the time between the wall clock's present and `instant`.
  package func sleep(until instant: Instant) async throws {
    let present = now()
    let nanoseconds = Double(instant.nanoseconds) - Double(present.nanoseconds)
    try await sleep(seconds: Double(instant.seconds - present.seconds) + nanoseconds / 1e9)
  }

  /// Suspends for a span of monotonic time, at most a year.
  package func sleep(seconds: Double) async throws {
    try Task.checkCancellation()
    guard seconds > 0 else { return }
    try await Task.sleep(for: .seconds(min(seconds, Self.longestSleepSeconds)))
  }

  /// Does nothing: real time does not wait for work.
  package func beginWork() {}
  /// Does nothing: real time does not wait for work.
  package func endWork() {}
}
