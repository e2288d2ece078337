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
///
/// After a boot there is nothing to hold the wall clock against. While it is in ``doubt`` it is followed wherever it is set, and no day is
/// closed by it, until the kernel says that a time server keeps it right, two answers of the API are dated so, or an operator accepts it.
public final class HeldClock: ServiceClock {
  /// How far the two may part, in seconds.
  static let toleranceSeconds: Int64 = 300
  /// How long small corrections add up before they are forgotten, in nanoseconds of the boot clock: a day.
  private static let followsEveryNanoseconds: Int64 = 86_400_000_000_000

  /// So many answers in a row confirm the clock, each dated by it up to so many seconds.
  private static let confirmingAnswers = 2
  private static let confirmingSeconds: Int64 = 60

  private struct State: Sendable {
    /// What both clocks showed when they were last taken to be right.
    var anchor: ClockReading?
    var doubt: Doubt?
    /// Answers in a row that were dated as the wall clock is.
    var agreeing = 0
  }

  private struct Doubt: Sendable {
    let reason: String
    /// The last record's time, and what the boot clock showed when the doubt began.
    let least: ClockReading
  }

  private let base: any ServiceClock
  private let state: Lock<State>

  /// Holds `base` from now on.
  public convenience init(_ base: any ServiceClock) { self.init(base, since: nil) }

  /// Holds `base` against what was found right in the same boot before; from now on when nil.
  init(_ base: any ServiceClock, since reading: ClockReading?) {
    self.base = base
    state = Lock(State(anchor: reading ?? Self.read(base)))
  }

  /// The wall clock's present; while that is not trusted, the present by the boot clock.
  public func now() -> Instant { look().trusted }

  /// The same, but for a clock without a boot clock, which may stand still.
  public func passing() -> Instant { base.sinceBoot() == nil ? base.passing() : now() }

  /// What the wall clock shows, right or wrong.
  var wall: Instant { base.now() }

  /// How far the wall clock stands before or after the boot clock, in seconds; nil while they agree.
  var partedSeconds: Int64? { look().partedSeconds }

  /// Why nobody knows whether the wall clock is right; nil when it is taken to be.
  var doubt: String? {
    guard let doubt = state.withLock({ $0.doubt }) else { return nil }
    guard base.isSynchronized == true else { return doubt.reason }
    acceptWall()
    return nil
  }

  /// Whether there is a ``doubt``.
  public var isInDoubt: Bool { doubt != nil }

  /// Takes the wall clock to be in doubt until it is confirmed; `last` is the time of the last record.
  func beginDoubt(_ reason: String, after last: Instant) {
    let boot = base.sinceBoot() ?? 0
    state.withLock {
      $0.doubt = Doubt(reason: reason, least: ClockReading(wall: last, boot: boot))
    }
  }

  /// The time of what is recorded now, and up to which a look proves anything. While the wall clock is in doubt that is the least that the
  /// present can be: a record from a future that has not come would keep all later ones out until it has.
  public func certain() -> Instant {
    // Asked before the time: whoever confirms the clock may have set it just before.
    guard isInDoubt, let boot = base.sinceBoot(),
      let least = state.withLock({ $0.doubt?.least.expected(at: boot) })
    else { return now() }
    return min(now(), least)
  }

  /// Takes note that the API has dated an answer so.
  func note(answerDated date: Instant) {
    let wall = base.now()
    let isConfirmed = state.withLock { state in
      guard state.doubt != nil else { return false }
      let agrees = abs(wall.seconds(since: date)) <= Self.confirmingSeconds
      state.agreeing = agrees ? state.agreeing + 1 : 0
      return state.agreeing >= Self.confirmingAnswers
    }
    if isConfirmed { acceptWall() }
  }

  /// What both clocks show; nil while they do not agree or are in doubt, and without a boot clock.
  var reading: ClockReading? {
    guard let present = Self.read(base), partedSeconds == nil, doubt == nil else { return nil }
    return present
  }

  /// Takes the wall clock for right from now on.
  func acceptWall() {
    let reading = Self.read(base)
    state.withLock { $0 = State(anchor: reading) }
  }

  private func look() -> (trusted: Instant, partedSeconds: Int64?) {
    guard let present = Self.read(base) else { return (base.now(), nil) }
    return state.withLock { state in
      guard let held = state.anchor else { return (present.wall, nil) }
      let expected = held.expected(at: present.boot)
      let parted = present.wall.seconds(since: expected)
      guard abs(parted) <= Self.toleranceSeconds else {
        if state.doubt == nil { return (expected, parted) }
        // Nobody has found the anchor right: whoever sets the clock now may set it right.
        state.anchor = present
        state.agreeing = 0
        return (present.wall, nil)
      }
      if present.boot - held.boot > Self.followsEveryNanoseconds { state.anchor = present }
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
  /// Whether the system says that the wall clock is kept right.
  public var isSynchronized: Bool? { base.isSynchronized }
  /// What the boot clock shows.
  public func sinceBoot() -> Int64? { base.sinceBoot() }

  /// Begins a piece of tracked work.
  public func beginWork() { base.beginWork() }
  /// Ends a piece of tracked work.
  public func endWork() { base.endWork() }
}
