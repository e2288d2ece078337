import Foundations
import TestSupport
import Testing

@testable import rewards

/// Time zones of several ledgers.
@Suite(.offThePool) struct ShardingTests {
  /// The process reads a newer database once; each ledger must hear of it.
  @Test func everyLedgerLearnsOfNewTimeZones() {
    let answers = Lock([false, true, false, false, false])
    let zones = SharedZones { answers.withLock { $0.isEmpty ? false : $0.removeFirst() } }
    let told = Lock(0)
    func reload(_ shard: Int64) -> Bool { zones.reload(for: shard) { told.withLock { $0 += 1 } } }
    #expect(!reload(0))
    #expect(reload(0), "it is read again here")
    #expect(told.withLock { $0 } == 1)
    #expect(reload(1), "it was read again before, and is news to this one")
    #expect(!reload(1) && !reload(0))
    #expect(told.withLock { $0 } == 1)
  }
}
