package import CivilTime

/// The users ordered by the instant of their next poll, as a binary heap.
package struct LookQueue: Sendable {
  private struct Entry: Sendable {
    let due: Instant
    let user: Int32

    func isBefore(_ other: Entry) -> Bool { due != other.due ? due < other.due : user < other.user }
  }

  private var heap: [Entry] = []
  /// Whether each user, by index, has a poll planned.
  private var isPlanned: [Bool] = []

  package init() {}

  /// The number of polls planned.
  package var count: Int { heap.count }

  /// The instant of the earliest poll; nil if none is planned.
  package var earliest: Instant? { heap.first?.due }

  /// The instant of the latest poll; nil if none is planned. Reads all of them.
  package var latest: Instant? { heap.map(\.due).max() }

  /// The users with a planned poll, in no order.
  package var users: [Int] { heap.map { Int($0.user) } }

  /// Returns whether a poll of the user is planned.
  package func holds(_ user: Int) -> Bool { user < isPlanned.count && isPlanned[user] }

  /// Plans a poll, unless one of the user is already planned.
  package mutating func plan(_ user: Int, at due: Instant) {
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

  /// Removes and returns the users whose polls are due at `now`, earliest first, at most `limit`.
  package mutating func dequeueDue(at now: Instant, limit: Int) -> [Int] {
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
