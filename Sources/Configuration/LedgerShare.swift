import Digests

/// Which of the shards of a database a ledger is, and so whose ledger it is.
public struct LedgerShare: Sendable, Equatable, CustomStringConvertible {
  /// The shard, from 0.
  public let number: Int
  /// How many shards there are, for ever.
  public let count: Int

  /// Shard `number` of `count`.
  public init(_ number: Int, of count: Int) {
    self.number = number
    self.count = count
  }

  /// As `1 of 4`.
  public var description: String { "\(number) of \(count)" }

  /// Whether a user's records stand in this shard.
  public func holds(_ user: String) -> Bool { Self.number(of: user, among: count) == number }

  /// The shard of a user: the first eight bytes of SHA-256 of the id, as a big-endian number, modulo `count`.
  public static func number(of user: String, among count: Int) -> Int {
    if count < 2 { return 0 }
    let head = SHA256.digest(of: Array(user.utf8)).bytes.prefix(8)
    return Int(head.reduce(0) { $0 << 8 | UInt64($1) } % UInt64(count))
  }
}

extension Configuration {
  /// Makes this the configuration of one of several ledgers, whose sinks write files of their own.
  public mutating func take(_ share: LedgerShare?) {
    guard let share else { return }
    self.share = share
    relay = relay.map { $0.of(share) }
  }

  /// Whether a user's records stand in this ledger.
  public func holds(_ user: String) -> Bool { share?.holds(user) ?? true }

  /// How often this ledger's users may be asked about, all routes together: its part of what is configured.
  public var requestsPerSecond: Double {
    Double(api.requestsPerSecond) / Double(share?.count ?? 1)
  }

  /// How many requests to the API this ledger makes at once: its part of what is configured, one at least.
  public var requestsAtOnce: Int { max(1, api.concurrency / (share?.count ?? 1)) }
}

extension Configuration.Sink {
  /// The sink of one of several ledgers: `events.jsonl` of shard 3 is `events-3.jsonl`.
  fileprivate func of(_ share: LedgerShare) -> Self {
    guard case .file(let path) = kind else { return self }
    let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    let end = name.dropFirst().lastIndex(of: ".") ?? path.endIndex
    var sink = self
    sink.kind = .file(path: "\(path[..<end])-\(share.number)\(path[end...])")
    return sink
  }
}
