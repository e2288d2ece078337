public import CivilTime
public import Scheduling
import Threading

/// What both clocks showed at one time.
struct ClockReading: Sendable, Equatable {
  let wall: Instant
  /// Nanoseconds on the boot clock.
  let boot: Int64

  /// What the wall should show when the boot clock shows `boot`.
  func expected(at boot: Int64) -> Instant { wall.adding(nanoseconds: boot - self.boot) }
}

/// A clock whose wall time is held against the boot clock, which runs on through a suspend and which nobody sets.
///
/// While the two have parted by more than five minutes, ``now()`` goes on with the boot clock from where they agreed: what
/// is under way then stamps and decides by a time that was never wrong. Smaller corrections of the wall clock are followed.
/// A clock without a boot clock is passed through.
public final class HeldClock: ServiceClock {
  /// How far the two may part, in seconds.
  static let toleranceSeconds: Int64 = 300
  /// How long small corrections add up before they are forgotten, in nanoseconds of the boot clock: a day.
  private static let followsEveryNanoseconds: Int64 = 86_400_000_000_000

  private let base: any ServiceClock
  private let anchor: Lock<ClockReading?>

  /// Holds `base` from now on.
  public convenience init(_ base: any ServiceClock) { self.init(base, since: nil) }

  /// Holds `base` against what was found right in the same boot before; from now on when nil.
  init(_ base: any ServiceClock, since reading: ClockReading?) {
    self.base = base
    anchor = Lock(reading ?? Self.read(base))
  }

  /// The wall clock's present; while that is not trusted, the present by the boot clock.
  public func now() -> Instant { look().trusted }

  /// The same, but for a clock without a boot clock, which may stand still.
  public func passing() -> Instant { base.sinceBoot() == nil ? base.passing() : now() }

  /// What the wall clock shows, right or wrong.
  var wall: Instant { base.now() }

  /// How far the wall clock stands before or after the boot clock, in seconds; nil while they agree.
  var partedSeconds: Int64? { look().partedSeconds }

  /// What both clocks show; nil while they do not agree, and without a boot clock.
  var reading: ClockReading? {
    guard let present = Self.read(base), partedSeconds == nil else { return nil }
    return present
  }

  /// Takes the wall clock for right from now on.
  func acceptWall() {
    let reading = Self.read(base)
    anchor.withLock { $0 = reading }
  }

  private func look() -> (trusted: Instant, partedSeconds: Int64?) {
    guard let present = Self.read(base) else { return (base.now(), nil) }
    return anchor.withLock { anchor in
      guard let held = anchor else { return (present.wall, nil) }
      let expected = held.expected(at: present.boot)
      let parted = present.wall.seconds(since: expected)
      guard abs(parted) <= Self.toleranceSeconds else { return (expected, parted) }
      if present.boot - held.boot > Self.followsEveryNanoseconds { anchor = present }
      return (present.wall, nil)
    }
  }

  /// Reads both clocks at one time: the process may be suspended between two calls.
  private static func read(_ base: any ServiceClock) -> ClockReading? {
    guard var before = base.sinceBoot() else { return nil }
    while true {
      let wall = base.now()
      guard let after = base.sinceBoot() else { return nil }
      if after - before < 100_000_000 { return ClockReading(wall: wall, boot: after) }
      before = after
    }
  }

  /// Suspends until the trusted time should show `instant`.
  public func sleep(until instant: Instant) async throws {
    let (trusted, parted) = look()
    if parted == nil { return try await base.sleep(until: instant) }
    try await base.sleep(seconds: instant.interval(since: trusted))
  }

  /// Suspends for a span of monotonic time.
  public func sleep(seconds: Double) async throws { try await base.sleep(seconds: seconds) }

  /// Which boot of the machine this is.
  public var boot: String? { base.boot }
  /// What the boot clock shows.
  public func sinceBoot() -> Int64? { base.sinceBoot() }

  /// Begins a piece of tracked work.
  public func beginWork() { base.beginWork() }
  /// Ends a piece of tracked work.
  public func endWork() { base.endWork() }
}
