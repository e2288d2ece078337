import Foundations
import LedgerDatabase
import TestSupport
import Testing

/// Workers that decide each for itself come to have about the same number of shards.
@Suite(.offThePool) struct ShardBalanceTests {
  /// Workers around a table of who holds what, as the leases would have it.
  private struct Fleet {
    let count: Int
    var workers: [String] = []
    var holders: [Int64: String] = [:]

    /// Each worker looks around once.
    mutating func beat() {
      for worker in workers {
        let balance = ShardBalance(of: worker, among: workers, count: count)
        let held = Set(holders.filter { $0.value == worker }.keys)
        for shard in balance.surplus(holding: held) { holders[shard] = nil }
        let free = Set((0..<Int64(count)).filter { holders[$0] == nil })
        for shard in balance.wanted(holding: held, free: free) { holders[shard] = worker }
      }
    }

    mutating func lose(_ worker: String) {
      workers.removeAll { $0 == worker }
      holders = holders.filter { $0.value != worker }
    }
  }

  @Test(arguments: Seeds.some(100, of: 0..<500))
  func whoComesAndGoesIsMadeUpFor(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    var fleet = Fleet(count: Int.random(in: 1...64, using: &random))
    var next = 0
    for _ in 0..<12 {
      if fleet.workers.isEmpty || Bool.random(using: &random) {
        next += 1
        fleet.workers.append("worker \(next)")
      } else {
        fleet.lose(fleet.workers.randomElement(using: &random) ?? "")
      }
      if fleet.workers.isEmpty { continue }
      // Who gives back and who takes may look around in any order.
      for _ in 0..<3 { fleet.beat() }
      #expect(fleet.holders.count == fleet.count, "each shard is served")
      let share = (fleet.count + fleet.workers.count - 1) / fleet.workers.count
      for worker in fleet.workers {
        #expect(fleet.holders.values.count { $0 == worker } <= share)
      }
      let before = fleet.holders
      fleet.beat()
      #expect(fleet.holders == before, "nothing moves once all is shared out")
    }
  }

  /// A worker more takes its part and no more, so that little is opened anew.
  @Test func mostStaysWhereItIs() {
    var fleet = Fleet(count: 64, workers: ["a", "b", "c"])
    for _ in 0..<3 { fleet.beat() }
    let before = fleet.holders
    fleet.workers.append("d")
    for _ in 0..<3 { fleet.beat() }
    #expect(fleet.holders.count { before[$0.key] != $0.value } <= 18)
  }
}
