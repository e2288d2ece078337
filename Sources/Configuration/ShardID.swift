import Digests

/// Which shard of a database this is, and of how many; it determines the users of its ledger.
package struct ShardID: Sendable, Equatable, CustomStringConvertible {
  /// The number of the shard, from 0.
  package let number: Int
  /// The number of shards, which never changes.
  package let count: Int

  /// Creates the id of shard `number` of `count`.
  package init(_ number: Int, of count: Int) {
    self.number = number
    self.count = count
  }

  /// The shard as text, as in `1 of 4`.
  package var description: String { "\(number) of \(count)" }

  /// Whether this shard holds a user's records.
  package func holds(_ user: String) -> Bool { Self.number(of: user, among: count) == number }

  /// Returns the shard of a user: the first eight bytes of the SHA-256 of the id, as a big-endian number, modulo `count`.
  package static func number(of user: String, among count: Int) -> Int {
    if count < 2 { return 0 }
    let head = SHA256.digest(of: Array(user.utf8)).bytes.prefix(8)
    return Int(head.reduce(0) { $0 << 8 | UInt64($1) } % UInt64(count))
  }
}

extension Configuration {
  /// Makes this the configuration of one ledger of several; its file sinks then write to files of their own.
  package mutating func apply(_ shardID: ShardID?) {
    guard let shardID else { return }
    self.shardID = shardID
    relay = relay.map { $0.of(shardID) }
  }

  /// Whether this ledger holds a user's records.
  package func holds(_ user: String) -> Bool { shardID?.holds(user) ?? true }

  /// The request rate of this ledger, over all routes: its share of the configured rate.
  package var requestsPerSecond: Double {
    Double(api.requestsPerSecond) / Double(shardID?.count ?? 1)
  }

  /// The maximum number of concurrent API requests of this ledger: its share of the configured number, at least one.
  package var requestsAtOnce: Int { max(1, api.concurrency / (shardID?.count ?? 1)) }
}

extension Configuration.Sink {
  /// Returns the sink for one shard: `events.jsonl` becomes `events-3.jsonl` for shard 3.
  fileprivate func of(_ shardID: ShardID) -> Self {
    guard case .file(let path) = kind else { return self }
    let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    let end = name.dropFirst().lastIndex(of: ".") ?? path.endIndex
    var sink = self
    sink.kind = .file(path: "\(path[..<end])-\(shardID.number)\(path[end...])")
    return sink
  }
}
