internal import Digests

/// The shards that a worker should have: about as many as every other, and mostly the same ones as before. Pure.
///
/// Each worker decides for itself; only the lease ensures that no two workers have the same shard.
package struct ShardBalance: Sendable {
  private let worker: String
  private let share: Int

  /// Computes the share of `worker` in `count` shards, among the live `workers`.
  package init(of worker: String, among workers: [String], count: Int) {
    self.worker = worker
    let live = Set(workers).union([worker]).count
    share = (count + live - 1) / live
  }

  /// Returns the shards to try to take, out of those that are `free`.
  package func wanted(holding held: Set<Int64>, free: Set<Int64>) -> [Int64] {
    Array(preferred(free.subtracting(held)).prefix(max(0, share - held.count)))
  }

  /// Returns the shards to give back, so that others get their share.
  package func surplus(holding held: Set<Int64>) -> [Int64] {
    Array(preferred(held).dropFirst(share))
  }

  /// Returns the shards, with those first that this worker prefers by rendezvous hashing, under which most shards stay where they
  /// are when workers come and go.
  private func preferred(_ shards: Set<Int64>) -> [Int64] {
    let weights = shards.map { shard in
      (shard, SHA256.digest(of: Array("\(worker)/\(shard)".utf8)).description)
    }
    return weights.sorted { $0.1 > $1.1 }.map(\.0)
  }
}
