public import CivilTime

/// The users by the instant of their next look: a binary heap.
public struct LookQueue: Sendable {
  private struct Entry: Sendable {
    let due: Instant
    let user: Int32

    func isBefore(_ other: Entry) -> Bool { due != other.due ? due < other.due : user < other.user }
  }

  private var heap: [Entry] = []
  /// Whether a user, by index, stands in it.
  private var isPlanned: [Bool] = []

  /// Creates an empty queue.
  public init() {}

  /// How many looks are planned.
  public var count: Int { heap.count }

  /// The instant of the earliest look, nil when none is planned.
  public var earliest: Instant? { heap.first?.due }

  /// Returns whether a look at the user is planned.
  public func holds(_ user: Int) -> Bool { user < isPlanned.count && isPlanned[user] }

  /// Plans a look; does nothing when one at the user is planned already.
  public mutating func plan(_ user: Int, at due: Instant) {
    if holds(user) { return }
    if user >= isPlanned.count {
      isPlanned += repeatElement(false, count: user + 1 - isPlanned.count)
    }
    isPlanned[user] = true
    heap.append(Entry(due: due, user: Int32(user)))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the users out whose look is due at `now`, the earliest first, at most `limit`.
  public mutating func takeDue(at now: Instant, limit: Int) -> [Int] {
    var users: [Int] = []
    while let first = heap.first, first.due <= now, users.count < limit {
      users.append(Int(first.user))
      isPlanned[Int(first.user)] = false
      removeFirst()
    }
    return users
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < heap.count else { return }
      let right = left + 1
      let least = right < heap.count && heap[right].isBefore(heap[left]) ? right : left
      guard heap[least].isBefore(heap[parent]) else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
