import CivilTime

/// Lanes that go on at an instant of their own.
struct WaitingLanes: Sendable {
  private var dues: [Lane: Instant] = [:]
  /// When the first of them may go on; nil when none waits.
  private(set) var earliest: Instant?

  /// Lets `lane` wait until `due`.
  mutating func add(_ lane: Lane, until due: Instant) {
    dues[lane] = due
    earliest = min(earliest ?? due, due)
  }

  /// Lets all of them go on at once, and returns those for which that comes early.
  mutating func release() -> [Lane] {
    let putOff = dues.filter { $0.value > .earliest }.map(\.key)
    dues = dues.mapValues { _ in .earliest }
    earliest = dues.isEmpty ? nil : .earliest
    return putOff
  }

  /// Takes lanes out whose time has come, the earliest first, at most `limit`.
  mutating func dequeueDue(at now: Instant, limit: Int) -> [Lane] {
    guard let earliest, earliest <= now else { return [] }
    let due = dues.filter { $0.value <= now }
      .sorted {
        ($0.value, $0.key.user, $0.key.kind.rawValue) < (
          $1.value, $1.key.user, $1.key.kind.rawValue
        )
      }
      .prefix(limit).map(\.key)
    for lane in due { dues[lane] = nil }
    self.earliest = dues.values.min()
    return due
  }
}

/// Until when no newer state of an account may go.
struct LaneSpacing: Sendable {
  private var ends: [Lane: Instant] = [:]
  private let least: Int
  private var pruneAt: Int

  /// Nobody is spaced; ends that have passed are forgotten once there are more than `least`.
  init(keeping least: Int) {
    self.least = least
    pruneAt = least
  }

  /// Until when nothing of `lane` may go; long ago when it may.
  func end(of lane: Lane) -> Instant { ends[lane] ?? .earliest }

  /// Lets nothing of `lane` go before `until`.
  mutating func add(_ lane: Lane, until: Instant, now: Instant) {
    ends[lane] = until
    guard ends.count >= pruneAt else { return }
    ends = ends.filter { $0.value > now }
    pruneAt = max(least, ends.count * 2)
  }
}

/// A reading of the ledger for lanes that are behind.
struct CatchUpPass: Sendable {
  /// Whose entries are wanted.
  var lanes: Set<Lane>
  /// The last line that was read for them.
  var through: UInt64
}
