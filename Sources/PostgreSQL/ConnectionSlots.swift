internal import Dispatch
internal import Threading

/// The slots of a pool: at most so many connections are in use at once, the last of them only by urgent callers.
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

  /// How many callers wait.
  var waiting: Int { queues.withLock(\.waiting) }

  init(_ count: Int) { self.count = count }

  /// Acquires a slot; false when none became free within `seconds`.
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
      // A caller that is in no queue any more was given a slot as its time ran out.
      return queues.waiting == waiting
    }
  }

  /// Releases a slot, to the next caller that waits for it.
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
