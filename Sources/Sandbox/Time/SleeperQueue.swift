import Foundations

/// The sleeping tasks, earliest deadline first; among equals, the first to fall asleep comes first.
///
/// A sleeper that was removed early stays in the heap until its turn, and is then skipped.
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

  /// The number of sleepers.
  var count: Int { wakers.count }

  /// Adds a sleeper; tickets must ascend.
  mutating func insert(ticket: UInt64, deadline: Int64, waker: Waker) {
    wakers[ticket] = waker
    heap.insert(Entry(deadline: deadline, ticket: ticket))
  }

  /// Removes a sleeper early; returns nil if it is not asleep.
  mutating func remove(ticket: UInt64) -> Waker? { wakers.removeValue(forKey: ticket) }

  /// Returns the earliest deadline; nil if there are no sleepers.
  mutating func earliestDeadline() -> Int64? {
    while let first = heap.first, wakers[first.ticket] == nil { _ = heap.popFirst() }
    return heap.first?.deadline
  }

  /// Removes and returns the earliest sleeper.
  mutating func popEarliest() -> Waker? {
    guard earliestDeadline() != nil, let first = heap.popFirst() else { return nil }
    return wakers.removeValue(forKey: first.ticket)
  }
}
