/// The tasks that sleep, earliest first; among equals the one that lay down first.
///
/// A binary heap. A sleeper that left early stays in it until its turn comes, and is then passed over.
struct SleeperQueue {
  typealias Waker = CheckedContinuation<Void, any Error>

  private struct Entry {
    let deadline: Int64
    let ticket: UInt64

    func comes(before other: Entry) -> Bool {
      deadline != other.deadline ? deadline < other.deadline : ticket < other.ticket
    }
  }

  private var heap: [Entry] = []
  private var wakers: [UInt64: Waker] = [:]

  /// How many sleep.
  var count: Int { wakers.count }

  /// Adds a sleeper. Tickets are given out in rising order.
  mutating func insert(ticket: UInt64, deadline: Int64, waker: Waker) {
    wakers[ticket] = waker
    heap.append(Entry(deadline: deadline, ticket: ticket))
    var child = heap.count - 1
    while child > 0, heap[child].comes(before: heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes a sleeper out before its time; nil when it does not sleep.
  mutating func remove(ticket: UInt64) -> Waker? { wakers.removeValue(forKey: ticket) }

  /// When the earliest sleeper is to wake, nil when nobody sleeps.
  mutating func earliestDeadline() -> Int64? {
    while let first = heap.first, wakers[first.ticket] == nil { removeFirst() }
    return heap.first?.deadline
  }

  /// Takes the earliest sleeper out.
  mutating func popEarliest() -> Waker? {
    guard earliestDeadline() != nil else { return nil }
    return wakers.removeValue(forKey: removeFirst().ticket)
  }

  @discardableResult
  private mutating func removeFirst() -> Entry {
    heap.swapAt(0, heap.count - 1)
    let first = heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].comes(before: heap[least]) {
        least = child
      }
      if least == parent { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
