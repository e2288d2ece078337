public import PostgreSQL

/// The workers of a database, as each tells of itself. No worker decides for another, and nothing depends on them but how many
/// shards each tries to get. Blocks.
public struct ShardFleet: Sendable {
  /// What a worker sees around it.
  public struct Muster: Sendable {
    /// The workers that live, this one included, in order.
    public let workers: [String]
    /// All shards, in order.
    public let shards: [ShardStatus]
  }

  /// Who has told nothing for so many seconds, by the database's clock, is gone.
  static let lifeSeconds = 15

  private let pool: DatabasePool
  private let worker: String

  /// A fleet to which `worker` belongs; no other process has the name.
  public init(_ pool: DatabasePool, worker: String) {
    (self.pool, self.worker) = (pool, worker)
  }

  /// Tells that this worker lives, unless it is of no use just now, and looks around. To be called every few seconds.
  public func muster(isUseful: Bool = true) throws(DatabaseError) -> Muster {
    let workers = try pool.withConnection { connection throws(DatabaseError) in
      if isUseful {
        _ = try connection.run(
          DatabaseStatement(
            """
            INSERT INTO rewards.worker (name, seen) VALUES ($1, now())
            ON CONFLICT (name) DO UPDATE SET seen = excluded.seen
            """, [.text(worker)]), within: pool.limitSeconds)
      }
      let rows = try connection.run(
        DatabaseStatement(
          """
          SELECT name FROM rewards.worker
          WHERE seen > now() - interval '\(Self.lifeSeconds) seconds' ORDER BY name
          """), within: pool.limitSeconds)
      return (0..<rows.count).map { rows.text($0, 0) }
    }
    return Muster(workers: workers, shards: try ShardStatus.all(pool))
  }

  /// Tells that this worker is leaving, and forgets who left long ago.
  public func leave() throws(DatabaseError) {
    try pool.withConnection { connection throws(DatabaseError) in
      _ = try connection.run(
        DatabaseStatement(
          "DELETE FROM rewards.worker WHERE name = $1 OR seen < now() - interval '1 day'",
          [.text(worker)]), within: pool.limitSeconds)
    }
  }
}
