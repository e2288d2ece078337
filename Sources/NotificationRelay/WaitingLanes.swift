import CivilTime
import Foundations

/// Lanes that continue at instants of their own.
struct WaitingLanes: Sendable {
  private struct Due: Comparable, Sendable {
    let at: Instant
    let lane: Lane

    static func < (left: Due, right: Due) -> Bool {
      if left.at != right.at { return left.at < right.at }
      return (left.lane.user, left.lane.kind.rawValue) < (right.lane.user, right.lane.kind.rawValue)
    }
  }

  private var dues: [Lane: Instant] = [:]
  /// All of them; a lane whose time was changed stands in it more than once.
  private var heap = Heap<Due>()

  /// How many lanes wait.
  var count: Int { dues.count }

  /// When the first of them may continue; nil if none is waiting.
  private(set) var earliest: Instant?

  /// Makes `lane` wait until `due`.
  mutating func add(_ lane: Lane, until due: Instant) {
    dues[lane] = due
    heap.insert(Due(at: due, lane: lane))
    skipChanged()
  }

  /// Lets all lanes continue at once, and returns those whose time had not come.
  mutating func release() -> [Lane] {
    let putOff = dues.filter { $0.value > .earliest }.map(\.key)
    for lane in putOff { add(lane, until: .earliest) }
    return putOff
  }

  /// Removes and returns the first lane if its time has come.
  mutating func dequeueDue(at now: Instant) -> Lane? {
    guard let earliest, earliest <= now, let due = heap.popFirst() else { return nil }
    dues[due.lane] = nil
    skipChanged()
    return due.lane
  }

  private mutating func skipChanged() {
    while let first = heap.first, dues[first.lane] != first.at { _ = heap.popFirst() }
    earliest = heap.first?.at
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
