import Dispatch
import Foundations
import Glibc
import TestSupport
import Testing

@testable import LedgerDatabase

/// A process has so many connections and no more, one of them for urgent callers.
@Suite(.offThePool) struct ConnectionSlotsTests {
  @Test func theLastIsForUrgentCallers() {
    let slots = ConnectionSlots(3)
    #expect(slots.acquire(isUrgent: false, within: 0))
    #expect(slots.acquire(isUrgent: false, within: 0))
    #expect(!slots.acquire(isUrgent: false, within: 0), "two of three are for all")
    #expect(slots.acquire(isUrgent: true, within: 0))
    #expect(!slots.acquire(isUrgent: true, within: 0), "there are three")
    slots.release()
    #expect(!slots.acquire(isUrgent: false, within: 0))
    #expect(slots.acquire(isUrgent: true, within: 0))
  }

  @Test func urgentCallersComeFirst() {
    let slots = ConnectionSlots(2)
    #expect(slots.acquire(isUrgent: false, within: 0))
    #expect(slots.acquire(isUrgent: true, within: 0))
    let order = Lock<[Bool]>([])
    let done = DispatchSemaphore(value: 0)
    // In this order they come.
    for isUrgent in [false, false, true] {
      let waiting = slots.waiting
      ownThread(named: "waits") {
        guard slots.acquire(isUrgent: isUrgent, within: 120) else { return }
        order.withLock { $0.append(isUrgent) }
        slots.release()
        done.signal()
      }
      while slots.waiting == waiting, order.withLock({ $0.isEmpty }) { sched_yield() }
    }
    slots.release()
    done.wait()
    slots.release()
    done.wait()
    done.wait()
    #expect(order.withLock { $0 } == [true, false, false])
    #expect(slots.waiting == 0)
    #expect(slots.acquire(isUrgent: false, within: 0), "all came back")
  }

  /// Callers that wait no longer than a moment, while slots come and go: none is lost, and none is counted twice.
  @Test func callersThatGiveUpLeaveNothingBehind() {
    let slots = ConnectionSlots(3)
    let done = DispatchSemaphore(value: 0)
    for caller in 0..<8 {
      ownThread(named: "hurries") {
        for _ in 0..<2_000 where slots.acquire(isUrgent: caller == 0, within: 0.000_01) {
          slots.release()
        }
        done.signal()
      }
    }
    for _ in 0..<8 { done.wait() }
    #expect(slots.waiting == 0)
    #expect(slots.acquire(isUrgent: false, within: 0))
    #expect(slots.acquire(isUrgent: false, within: 0))
    #expect(!slots.acquire(isUrgent: false, within: 0))
    #expect(slots.acquire(isUrgent: true, within: 0))
  }
}
