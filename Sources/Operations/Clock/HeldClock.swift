package import CivilTime
import Foundations
package import Scheduling

/// The readings of both clocks at one time.
struct ClockReading: Sendable, Equatable {
  let wall: Instant
  /// The reading of the boot clock, in nanoseconds.
  let boot: Int64

  /// Returns what the wall clock should show when the boot clock shows `boot`.
  func expected(at boot: Int64) -> Instant { wall.adding(nanoseconds: boot - self.boot) }
}

/// A clock that checks its wall time against the boot clock, which continues through a suspend and cannot be set.
///
/// While the two differ by more than five minutes, ``now()`` continues with the boot clock from where they agreed, so
/// that work in progress stamps and decides by a time that was never wrong. Smaller corrections of the wall clock are
/// followed. A clock without a boot clock is passed through.
///
/// After a boot there is nothing to compare the wall clock with. While it is in ``doubt``, it is followed wherever it
/// is set, but closes no day. The doubt ends when the kernel reports that the clock is synchronized, when two API
/// answers carry matching dates, or when an operator accepts the clock.
package final class HeldClock: ServiceClock {
  /// The difference between the two that is tolerated, in seconds.
  static let toleranceSeconds: Int64 = 300
  /// How long small corrections add up before they are forgotten, in nanoseconds of the boot clock: one day.
  private static let followsEveryNanoseconds: Int64 = 86_400_000_000_000

  /// The number of consecutive answers, dated within `confirmingSeconds` of the clock, that confirm it.
  private static let confirmingAnswers = 2
  private static let confirmingSeconds: Int64 = 60

  private struct State: Sendable {
    /// The readings of both clocks when they were last considered right.
    var anchor: ClockReading?
    var doubt: Doubt?
    /// The number of consecutive answers whose dates matched the wall clock.
    var agreeing = 0
  }

  private struct Doubt: Sendable {
    let reason: String
    /// The last record's time, and the reading of the boot clock when the doubt began.
    let least: ClockReading
  }

  private let base: any ServiceClock
  private let state: Lock<State>

  /// Creates a clock that checks `base` from now on.
  package convenience init(_ base: any ServiceClock) { self.init(base, since: nil) }

  /// Creates a clock that checks `base` against a right reading from the same boot, or from now on when nil.
  init(_ base: any ServiceClock, since reading: ClockReading?) {
    self.base = base
    state = Lock(State(anchor: reading ?? Self.read(base)))
  }

  /// Returns the wall clock's present, or the present by the boot clock while the wall clock is not trusted.
  package func now() -> Instant { look().trusted }

  /// Returns the same as ``now()``, except for a clock without a boot clock, which may stand still.
  package func passing() -> Instant { base.sinceBoot() == nil ? base.passing() : now() }

  /// The reading of the wall clock, right or wrong.
  var wall: Instant { base.now() }

  /// How far the wall clock is ahead of or behind the boot clock, in seconds; nil while they agree.
  var differenceSeconds: Int64? { look().differenceSeconds }

  /// The reason the wall clock may be wrong; nil when it is considered right.
  var doubt: String? {
    guard let doubt = state.withLock({ $0.doubt }) else { return nil }
    guard base.isSynchronized == true else { return doubt.reason }
    acceptWall()
    return nil
  }

  /// Whether there is a ``doubt``.
  package var isInDoubt: Bool { doubt != nil }

  /// Puts the wall clock in doubt until it is confirmed; `last` is the time of the last record.
  func beginDoubt(_ reason: String, after last: Instant) {
    let boot = base.sinceBoot() ?? 0
    state.withLock {
      $0.doubt = Doubt(reason: reason, least: ClockReading(wall: last, boot: boot))
    }
  }

  /// Returns the time for new records, which is also the time up to which a poll is complete evidence.
  ///
  /// While the wall clock is in doubt, this is the earliest possible present: a record from the future would block all
  /// later ones until that time had come.
  package func certain() -> Instant {
    // Check this before reading the time, because whoever confirms the clock may have just set it.
    guard isInDoubt, let boot = base.sinceBoot(),
      let least = state.withLock({ $0.doubt?.least.expected(at: boot) })
    else { return now() }
    return min(now(), least)
  }

  /// Notes the date of an answer from the API.
  func observe(answerDated date: Instant) {
    let wall = base.now()
    let isConfirmed = state.withLock { state in
      guard state.doubt != nil else { return false }
      let agrees = abs(wall.seconds(since: date)) <= Self.confirmingSeconds
      state.agreeing = agrees ? state.agreeing + 1 : 0
      return state.agreeing >= Self.confirmingAnswers
    }
    if isConfirmed { acceptWall() }
  }

  /// The readings of both clocks; nil while they disagree or are in doubt, and without a boot clock.
  var reading: ClockReading? {
    guard let present = Self.read(base), differenceSeconds == nil, doubt == nil else { return nil }
    return present
  }

  /// Considers the wall clock right from now on.
  func acceptWall() {
    let reading = Self.read(base)
    state.withLock { $0 = State(anchor: reading) }
  }

  private func look() -> (trusted: Instant, differenceSeconds: Int64?) {
    guard let present = Self.read(base) else { return (base.now(), nil) }
    return state.withLock { state in
      guard let held = state.anchor else { return (present.wall, nil) }
      let expected = held.expected(at: present.boot)
      let parted = present.wall.seconds(since: expected)
      guard abs(parted) <= Self.toleranceSeconds else {
        if state.doubt == nil { return (expected, parted) }
        // The anchor is unconfirmed, so a new setting of the clock may be the right one.
        state.anchor = present
        state.agreeing = 0
        return (present.wall, nil)
      }
      if present.boot - held.boot > Self.followsEveryNanoseconds { state.anchor = present }
      return (present.wall, nil)
    }
  }

  /// Reads both clocks at one time, although the process may be suspended between two calls.
  private static func read(_ base: any ServiceClock) -> ClockReading? {
    guard var before = base.sinceBoot() else { return nil }
    while true {
      let wall = base.now()
      guard let after = base.sinceBoot() else { return nil }
      if after - before < 100_000_000 { return ClockReading(wall: wall, boot: after) }
      before = after
    }
  }

  /// Suspends until the trusted time reaches `instant`.
  package func sleep(until instant: Instant) async throws {
    let (trusted, parted) = look()
    if parted == nil { return try await base.sleep(until: instant) }
    try await base.sleep(seconds: instant.interval(since: trusted))
  }

  /// Suspends for a span of monotonic time.
  package func sleep(seconds: Double) async throws { try await base.sleep(seconds: seconds) }

  /// The name of this boot of the machine.
  package var boot: String? { base.boot }
  /// Whether the system reports that the wall clock is synchronized.
  package var isSynchronized: Bool? { base.isSynchronized }
  /// Returns the reading of the boot clock.
  package func sinceBoot() -> Int64? { base.sinceBoot() }

  /// Begins a piece of tracked work.
  package func beginWork() { base.beginWork() }
  /// Ends a piece of tracked work.
  package func endWork() { base.endWork() }
}
