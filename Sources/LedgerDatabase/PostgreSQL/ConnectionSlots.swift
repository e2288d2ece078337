internal import Dispatch
internal import Foundations

/// The slots of a pool: they limit the connections in use at once, and reserve the last one for urgent callers.
///
/// Callers that find no free slot wait in order, urgent ones before all others. Blocks: never on the cooperative pool.
final class ConnectionSlots: Sendable {
  private struct Queues {
    var inUse = 0
    var urgent: [DispatchSemaphore] = []
    var others: [DispatchSemaphore] = []
    var waiting: Int { urgent.count + others.count }
  }

  private let count: Int
  private let queues = Lock(Queues())

  /// The number of waiting callers.
  var waiting: Int { queues.withLock(\.waiting) }

  init(_ count: Int) { self.count = count }

  /// Acquires a slot; returns false if none became free within `seconds`.
  func acquire(isUrgent: Bool, within seconds: Double) -> Bool {
    let isNext = DispatchSemaphore(value: 0)
    let isFree = queues.withLock { queues in
      if queues.inUse < (isUrgent ? count : count - 1) {
        queues.inUse += 1
        return true
      }
      if isUrgent { queues.urgent.append(isNext) } else { queues.others.append(isNext) }
      return false
    }
    if isFree || isNext.wait(timeout: .now() + seconds) == .success { return true }
    return queues.withLock { queues in
      let waiting = queues.waiting
      queues.urgent.removeAll { $0 === isNext }
      queues.others.removeAll { $0 === isNext }
      // A caller that is no longer in a queue was given a slot just as its time ran out.
      return queues.waiting == waiting
    }
  }

  /// Releases a slot to the next waiting caller.
  func release() {
    let next: DispatchSemaphore? = queues.withLock { queues in
      queues.inUse -= 1
      let next =
        if !queues.urgent.isEmpty {
          queues.urgent.removeFirst()
        } else if !queues.others.isEmpty, queues.inUse < count - 1 {
          queues.others.removeFirst()
        } else {
          DispatchSemaphore?.none
        }
      if next != nil { queues.inUse += 1 }
      return next
    }
    next?.signal()
  }
}
