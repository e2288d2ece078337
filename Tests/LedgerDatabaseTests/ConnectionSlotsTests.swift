import Dispatch
import Glibc
import LedgerDatabase
import TestSupport
import Testing
import Threading

@testable import PostgreSQL

/// A process has so many connections and no more, and a lease is renewed whatever else waits.
@Suite(.offThePool) struct ConnectionSlotsTests {
  @Test func theLastIsForTheHurried() {
    let slots = ConnectionSlots(3)
    #expect(slots.take(isHurried: false, within: 0))
    #expect(slots.take(isHurried: false, within: 0))
    #expect(!slots.take(isHurried: false, within: 0), "two of three are for all")
    #expect(slots.take(isHurried: true, within: 0))
    #expect(!slots.take(isHurried: true, within: 0), "there are three")
    slots.giveBack()
    #expect(!slots.take(isHurried: false, within: 0))
    #expect(slots.take(isHurried: true, within: 0))
  }

  @Test func theHurriedAreCalledFirst() {
    let slots = ConnectionSlots(2)
    #expect(slots.take(isHurried: false, within: 0))
    #expect(slots.take(isHurried: true, within: 0))
    let order = Lock<[Bool]>([])
    let done = DispatchSemaphore(value: 0)
    // In this order they come.
    for isHurried in [false, false, true] {
      let waiting = slots.waiting
      ownThread(named: "waits") {
        guard slots.take(isHurried: isHurried, within: 120) else { return }
        order.withLock { $0.append(isHurried) }
        done.signal()
        slots.giveBack()
      }
      while slots.waiting == waiting { sched_yield() }
    }
    slots.giveBack()
    done.wait()
    slots.giveBack()
    done.wait()
    done.wait()
    #expect(order.withLock { $0 } == [true, false, false])
    #expect(slots.waiting == 0)
    #expect(slots.take(isHurried: false, within: 0), "all came back")
  }

  @Test(.enabled(if: DatabasePlace.isAvailable)) func aProcessHasNoMoreConnections() throws {
    let pool = try DatabasePlace.makeDatabase()
    let counts = Lock<[Int64]>([])
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<40 {
      ownThread(named: "asks") {
        defer { done.signal() }
        let count = try? pool.withConnection { connection throws(DatabaseError) in
          try connection.run(
            DatabaseStatement(
              "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"),
            within: 120
          ).number(0, 0)
        }
        counts.withLock { $0.append(count ?? -1) }
      }
    }
    for _ in 0..<40 { done.wait() }
    let seen = counts.withLock { $0 }
    #expect(seen.count == 40)
    #expect(seen.allSatisfy { (1...Int64(DatabasePool.size)).contains($0) }, "\(seen)")
  }
}
