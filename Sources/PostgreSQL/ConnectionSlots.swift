internal import Dispatch
internal import Threading

/// The places of a pool: so many connections may be lent at once, and one of them only to whoever is in a hurry.
///
/// Whoever comes later waits in order, the hurried before all others. Blocks: never on the cooperative pool.
final class ConnectionSlots: Sendable {
  /// How many there are.
  let count: Int

  private struct Queues {
    var lent = 0
    var hurried: [DispatchSemaphore] = []
    var others: [DispatchSemaphore] = []
  }

  private let queues = Lock(Queues())

  /// How many wait for one.
  var waiting: Int { queues.withLock { $0.hurried.count + $0.others.count } }

  init(_ count: Int) { self.count = count }

  /// Takes a place; false when none was free within `seconds`.
  func take(isHurried: Bool, within seconds: Double) -> Bool {
    let called = DispatchSemaphore(value: 0)
    let isFree = queues.withLock { queues in
      if queues.lent < (isHurried ? count : count - 1) {
        queues.lent += 1
        return true
      }
      if isHurried { queues.hurried.append(called) } else { queues.others.append(called) }
      return false
    }
    if isFree || called.wait(timeout: .now() + seconds) == .success { return true }
    return queues.withLock { queues in
      let waiting = queues.hurried.count + queues.others.count
      queues.hurried.removeAll { $0 === called }
      queues.others.removeAll { $0 === called }
      // Whoever does not wait any more was called just now.
      return queues.hurried.count + queues.others.count == waiting
    }
  }

  /// Gives a place back.
  func giveBack() {
    let next: DispatchSemaphore? = queues.withLock { queues in
      queues.lent -= 1
      let next =
        if !queues.hurried.isEmpty {
          queues.hurried.removeFirst()
        } else if !queues.others.isEmpty, queues.lent < count - 1 {
          queues.others.removeFirst()
        } else {
          DispatchSemaphore?.none
        }
      if next != nil { queues.lent += 1 }
      return next
    }
    next?.signal()
  }
}
