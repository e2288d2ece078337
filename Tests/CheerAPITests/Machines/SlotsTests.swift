import Foundations
import Synchronization
import TestSupport
import Testing

@testable import CheerAPI

@Suite(.offThePool) struct SlotsTests {
  @Test func neverMoreThanTheCapAndNobodyForgotten() async {
    let slots = Slots(count: 3, clock: TestClock())
    let inside = Lock((now: 0, most: 0, total: 0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<500 {
        group.addTask {
          guard await slots.acquire() else { return }
          inside.withLock {
            $0.now += 1
            $0.total += 1
            $0.most = max($0.most, $0.now)
          }
          await Task.yield()
          inside.withLock { $0.now -= 1 }
          slots.release()
        }
      }
    }
    let (now, most, total) = inside.withLock { $0 }
    #expect(now == 0 && total == 500 && most <= 3 && most > 0)
  }

  @Test func aCancelledWaiterLeavesTheLineAndTakesNoSlot() async {
    let clock = TestClock()
    let slots = Slots(count: 1, clock: clock)
    #expect(await slots.acquire())
    let waiters = (0..<50).map { _ in Task { await slots.acquire() } }
    for waiter in waiters { waiter.cancel() }
    for waiter in waiters { #expect(await !waiter.value) }
    slots.release()
    #expect(await slots.acquire(), "the slot is free again")
    #expect(clock.workInHand == 0, "lent and returned")
  }

  @Test func cancellationAndReleaseTogetherLoseNoSlot() async {
    let clock = TestClock()
    let slots = Slots(count: 2, clock: clock)
    for _ in 0..<200 {
      let tasks = (0..<6).map { _ in
        Task {
          guard await slots.acquire() else { return }
          await Task.yield()
          slots.release()
        }
      }
      tasks[1].cancel()
      tasks[4].cancel()
      for task in tasks { await task.value }
    }
    #expect(await slots.acquire())
    #expect(await slots.acquire())
    #expect(clock.workInHand == 0)
  }
}
