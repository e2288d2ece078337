public import PostgreSQL

/// The workers of a database, as each tells of itself. No worker decides for another, and nothing depends on them but how many
/// shards each tries to get. Blocks.
public struct ShardFleet: Sendable {
  /// What a worker tells of itself.
  public struct Worker: Equatable, Sendable {
    /// Its name; no other process has it.
    public let name: String
    /// What it goes by, as it tells the others; nothing when it has not told.
    public let inputs: String
  }

  /// What a worker sees around it.
  public struct Muster: Sendable {
    /// The workers that live, this one included, in order of their names.
    public let workers: [Worker]
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

  /// Tells that this worker lives and what it goes by, unless it is of no use just now, and looks around. To be called every few seconds.
  public func muster(
    isUseful: Bool = true, inputs: String = ""
  ) throws(DatabaseError) -> Muster {
    if isUseful {
      try pool.withConnection { connection throws(DatabaseError) in
        _ = try connection.run(
          DatabaseStatement(
            """
            INSERT INTO rewards.worker (name, seen, inputs) VALUES ($1, now(), $2)
            ON CONFLICT (name) DO UPDATE SET seen = excluded.seen, inputs = excluded.inputs
            """, [.text(worker), .text(inputs)]), within: pool.limitSeconds)
      }
    }
    return Muster(workers: try Self.workers(pool), shards: try ShardStatus.all(pool))
  }

  /// The workers that live, in order of their names.
  public static func workers(_ pool: DatabasePool) throws(DatabaseError) -> [Worker] {
    try pool.withConnection { connection throws(DatabaseError) in
      let rows = try connection.run(
        DatabaseStatement(
          """
          SELECT name, inputs FROM rewards.worker
          WHERE seen > now() - interval '\(lifeSeconds) seconds' ORDER BY name
          """), within: pool.limitSeconds)
      return (0..<rows.count).map { Worker(name: rows.text($0, 0), inputs: rows.text($0, 1)) }
    }
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
