import Glibc

/// Measures wall time and this process's processor time since its creation.
struct Stopwatch {
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private let processorStart: Double

  init() {
    start = clock.now
    processorStart = Self.processorSeconds()
  }

  /// The time since its creation.
  var elapsed: Elapsed {
    let wall = (clock.now - start) / .seconds(1)
    return Elapsed(wall: wall, processor: Self.processorSeconds() - processorStart)
  }

  private static func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}

/// How long something took.
struct Elapsed: Sendable {
  let wall: Double
  /// The processor time of all threads of this process, including the kernel's work for them.
  let processor: Double
}
