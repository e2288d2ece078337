internal import Glibc

/// A worker's own monotonic time, which says nothing about the date.
package struct WorkerTime: Sendable {
  /// Returns seconds since some starting point.
  package let now: @Sendable () -> Double
  /// Blocks for a number of seconds.
  package let pause: @Sendable (Double) -> Void

  /// Creates a time from two functions.
  package init(now: @escaping @Sendable () -> Double, pause: @escaping @Sendable (Double) -> Void) {
    (self.now, self.pause) = (now, pause)
  }

  /// The machine's clock since boot, including time asleep.
  package static let machine = WorkerTime(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    },
    pause: { seconds in usleep(UInt32(seconds * 1e6)) })
}
