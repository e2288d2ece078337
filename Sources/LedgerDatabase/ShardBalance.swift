internal import Digests

/// Which shards a worker should have: about as many as every other, and mostly the same ones. Pure.
///
/// Each worker decides for itself; that no two have one shard is the lease's doing alone.
public struct ShardBalance: Sendable {
  private let worker: String
  private let share: Int

  /// What is due to `worker` of `count` shards, beside the live `workers`.
  public init(of worker: String, among workers: [String], count: Int) {
    self.worker = worker
    let live = Set(workers).union([worker]).count
    share = (count + live - 1) / live
  }

  /// Shards to try to take, of those that are `free`.
  public func wanted(holding held: Set<Int64>, free: Set<Int64>) -> [Int64] {
    Array(preferred(free.subtracting(held)).prefix(max(0, share - held.count)))
  }

  /// Shards to give back, so that others have their part.
  public func surplus(holding held: Set<Int64>) -> [Int64] {
    Array(preferred(held).dropFirst(share))
  }

  /// The shards, first those that this worker would rather have than another: the weights of rendezvous hashing, by which
  /// most shards stay where they are when workers come and go.
  private func preferred(_ shards: Set<Int64>) -> [Int64] {
    let weights = shards.map { shard in
      (shard, SHA256.digest(of: Array("\(worker)/\(shard)".utf8)).description)
    }
    return weights.sorted { $0.1 > $1.1 }.map(\.0)
  }
}
