import CivilTime

/// Lanes that continue at instants of their own.
struct WaitingLanes: Sendable {
  private var dues: [Lane: Instant] = [:]
  /// When the first of them may continue; nil if none is waiting.
  private(set) var earliest: Instant?

  /// Makes `lane` wait until `due`.
  mutating func add(_ lane: Lane, until due: Instant) {
    dues[lane] = due
    earliest = min(earliest ?? due, due)
  }

  /// Lets all lanes continue at once, and returns those whose time had not come.
  mutating func release() -> [Lane] {
    let putOff = dues.filter { $0.value > .earliest }.map(\.key)
    dues = dues.mapValues { _ in .earliest }
    earliest = dues.isEmpty ? nil : .earliest
    return putOff
  }

  /// Removes and returns at most `limit` lanes whose time has come, earliest first.
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

/// The minimum intervals between states of an account.
struct LaneSpacing: Sendable {
  private var ends: [Lane: Instant] = [:]
  private let least: Int
  private var pruneAt: Int

  /// Creates an empty spacing, which forgets past ends once it has more than `least`.
  init(keeping least: Int) {
    self.least = least
    pruneAt = least
  }

  /// Returns when `lane` may send again; long ago if it may already.
  func end(of lane: Lane) -> Instant { ends[lane] ?? .earliest }

  /// Stops `lane` from sending before `until`.
  mutating func add(_ lane: Lane, until: Instant, now: Instant) {
    ends[lane] = until
    guard ends.count >= pruneAt else { return }
    ends = ends.filter { $0.value > now }
    pruneAt = max(least, ends.count * 2)
  }
}

/// A reading of the ledger for lanes that are behind.
struct CatchUpPass: Sendable {
  /// The lanes whose entries are wanted.
  var lanes: Set<Lane>
  /// The last line read for them.
  var through: UInt64
}
