internal import Glibc

/// A worker's own time: it only runs forward, and says nothing of any day.
public struct WorkerTime: Sendable {
  /// Seconds since some beginning.
  public let now: @Sendable () -> Double
  /// Blocks for so many seconds.
  public let pause: @Sendable (Double) -> Void

  /// Time by these two.
  public init(now: @escaping @Sendable () -> Double, pause: @escaping @Sendable (Double) -> Void) {
    (self.now, self.pause) = (now, pause)
  }

  /// The machine's clock since it was started, with the time for which it slept.
  public static let machine = WorkerTime(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    },
    pause: { seconds in usleep(UInt32(seconds * 1e6)) })
}
