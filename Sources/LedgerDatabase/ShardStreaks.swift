public import CivilTime
public import PostgreSQL

/// What each shard has told the others of its streaks, before it closes a day. Blocks.
///
/// Nothing that a ledger holds depends on it: a count that is old, or missing, makes a close wait or asks an operator, and no more. So it
/// stands outside of the leases.
public struct ShardStreaks: Sendable {
  /// How streaks would fare in a shard's part of a close.
  public struct Count: Equatable, Sendable {
    /// The zone.
    public var zone: String
    /// The date there, as `2026-11-23`.
    public var day: String
    /// Users with a streak.
    public var streaks: Int64
    /// Streaks that would break.
    public var broken: Int64

    /// A count.
    public init(zone: String, day: String, streaks: Int64, broken: Int64) {
      self.zone = zone
      self.day = day
      self.streaks = streaks
      self.broken = broken
    }
  }

  /// The sum of what other shards have told.
  public struct Others: Equatable, Sendable {
    /// Users with a streak.
    public var streaks: Int64 = 0
    /// Streaks that would break.
    public var broken: Int64 = 0
    /// Users who had a streak in the last closes.
    public var usualStreaks: Int64 = 0
    /// Streaks that broke there.
    public var usualBroken: Int64 = 0
    /// Shards that have not told, in order.
    public var missing: [Int64] = []
  }

  private let pool: DatabasePool
  private let shard: Int64

  /// What `shard` tells and learns.
  public init(_ pool: DatabasePool, shard: Int) {
    (self.pool, self.shard) = (pool, Int64(shard))
  }

  /// Tells counts, how streaks usually fare, and that of all other days which ended by `through` there is nothing to count. Counts of
  /// days before `oldest` are forgotten.
  public func tell(
    _ counts: [Count], usualStreaks: Int64, usualBroken: Int64, through: Instant, oldest: String?
  ) throws(DatabaseError) {
    var statements = counts.map { count in
      DatabaseStatement(
        """
        INSERT INTO rewards.streaks (shard, zone, day, streaks, broken) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (shard, zone, day)
        DO UPDATE SET streaks = excluded.streaks, broken = excluded.broken
        """,
        [
          .number(shard), .text(count.zone), .text(count.day), .number(count.streaks),
          .number(count.broken),
        ])
    }
    if let oldest {
      statements.append(
        DatabaseStatement(
          "DELETE FROM rewards.streaks WHERE shard = $1 AND day < $2",
          [.number(shard), .text(oldest)]))
    }
    statements.append(
      DatabaseStatement(
        """
        INSERT INTO rewards.told (shard, through, usual_streaks, usual_broken)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (shard) DO UPDATE SET through = excluded.through,
          usual_streaks = excluded.usual_streaks, usual_broken = excluded.usual_broken
        """,
        [.number(shard), .number(through.seconds), .number(usualStreaks), .number(usualBroken)]))
    let transaction =
      [DatabaseStatement("BEGIN")] + statements + [DatabaseStatement("COMMIT")]
    try pool.withConnection { connection throws(DatabaseError) in
      _ = try connection.run(transaction, within: pool.limitSeconds)
    }
  }

  /// What this shard has told of days, as it stands.
  public func told() throws(DatabaseError) -> [Count] {
    let rows = try run(
      "SELECT zone, day, streaks, broken FROM rewards.streaks WHERE shard = $1 ORDER BY day, zone",
      [])
    return (0..<rows.count).map { row in
      Count(
        zone: rows.text(row, 0), day: rows.text(row, 1), streaks: rows.number(row, 2),
        broken: rows.number(row, 3))
    }
  }

  /// What the other shards have told of a zone's day that ended at `end`.
  public func others(zone: String, day: String, end: Instant) throws(DatabaseError) -> Others {
    let rows = try run(
      """
      SELECT s.shard, c.streaks, c.broken, t.usual_streaks, t.usual_broken,
        CASE WHEN c.shard IS NOT NULL OR t.through >= $4 THEN 1 ELSE 0 END
      FROM rewards.shard s
      LEFT JOIN rewards.streaks c ON c.shard = s.shard AND c.zone = $2 AND c.day = $3
      LEFT JOIN rewards.told t ON t.shard = s.shard
      WHERE s.shard <> $1 ORDER BY s.shard
      """, [.text(zone), .text(day), .number(end.seconds)])
    var others = Others()
    for row in 0..<rows.count {
      func number(_ column: Int) -> Int64 {
        rows.isNull(row, column) ? 0 : rows.number(row, column)
      }
      others.streaks += number(1)
      others.broken += number(2)
      others.usualStreaks += number(3)
      others.usualBroken += number(4)
      if number(5) == 0 { others.missing.append(rows.number(row, 0)) }
    }
    return others
  }

  private func run(
    _ statement: String, _ values: [DatabaseValue]
  ) throws(DatabaseError) -> DatabaseRows {
    try pool.withConnection { connection throws(DatabaseError) in
      try connection.run(
        DatabaseStatement(statement, [.number(shard)] + values), within: pool.limitSeconds)
    }
  }
}
