/// The tasks that sleep, earliest first; among equals the one that lay down first.
///
/// A sleeper that left early stays in the heap until its turn comes, and is then passed over.
struct SleeperQueue {
  typealias Waker = CheckedContinuation<Void, any Error>

  private struct Entry: Comparable {
    let deadline: Int64
    let ticket: UInt64

    static func < (left: Entry, right: Entry) -> Bool {
      (left.deadline, left.ticket) < (right.deadline, right.ticket)
    }
  }

  private var heap = Heap<Entry>()
  private var wakers: [UInt64: Waker] = [:]

  /// How many sleep.
  var count: Int { wakers.count }

  /// Adds a sleeper. Tickets are given out in rising order.
  mutating func insert(ticket: UInt64, deadline: Int64, waker: Waker) {
    wakers[ticket] = waker
    heap.insert(Entry(deadline: deadline, ticket: ticket))
  }

  /// Takes a sleeper out before its time; nil when it does not sleep.
  mutating func remove(ticket: UInt64) -> Waker? { wakers.removeValue(forKey: ticket) }

  /// When the earliest sleeper is to wake, nil when nobody sleeps.
  mutating func earliestDeadline() -> Int64? {
    while let first = heap.first, wakers[first.ticket] == nil { _ = heap.popFirst() }
    return heap.first?.deadline
  }

  /// Takes the earliest sleeper out.
  mutating func popEarliest() -> Waker? {
    guard earliestDeadline() != nil, let first = heap.popFirst() else { return nil }
    return wakers.removeValue(forKey: first.ticket)
  }
}
