/// The workers of a database, as each reports itself. Blocks.
///
/// No worker decides for another. The list only affects how many shards each worker tries to get.
package struct ShardFleet: Sendable {
  /// A worker's report about itself.
  package struct Worker: Equatable, Sendable {
    /// Its name, unique among processes.
    package let name: String
    /// The settings, rules and rosters it works with, as it reports them; empty if it has reported none.
    package let inputs: String
  }

  /// A worker's view of the fleet.
  package struct View: Sendable {
    /// The live workers, this one included, in order of their names.
    package let workers: [Worker]
    /// All shards, in order.
    package let shards: [ShardStatus]
  }

  /// The number of seconds, by the database's clock, after which a silent worker counts as gone.
  static let lifeSeconds = 15

  private let pool: DatabasePool
  private let worker: String

  /// Creates access to the fleet for `worker`, whose name must be unique among processes.
  package init(_ pool: DatabasePool, worker: String) {
    (self.pool, self.worker) = (pool, worker)
  }

  /// Reports that this worker is alive and what its inputs are, unless it is currently of no use, and returns the fleet. Call it
  /// every few seconds.
  package func checkIn(
    isUseful: Bool = true, inputs: String = ""
  ) throws(DatabaseError) -> View {
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
    return View(workers: try Self.workers(pool), shards: try ShardStatus.all(pool))
  }

  /// Returns the live workers, in order of their names.
  package static func workers(_ pool: DatabasePool) throws(DatabaseError) -> [Worker] {
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

  /// Reports that this worker is leaving, and removes workers that left long ago.
  package func leave() throws(DatabaseError) {
    try pool.withConnection { connection throws(DatabaseError) in
      _ = try connection.run(
        DatabaseStatement(
          "DELETE FROM rewards.worker WHERE name = $1 OR seen < now() - interval '1 day'",
          [.text(worker)]), within: pool.limitSeconds)
    }
  }
}
