package import CivilTime

/// The streak counts that shards share before they close days. Blocks.
///
/// They are independent of the leases: a replaced worker may still report. Its report only makes others wait or ask an operator,
/// or not, until the next one. A ledger's content depends on its own lines alone.
package struct ShardStreaks: Sendable {
  /// A shard's count for one date of a zone.
  package struct Row: Equatable, Sendable {
    /// The shard.
    package var shard: Int64
    /// The date and its zone.
    package var place: ZoneDay
    /// Users with a streak; 0 until counted.
    package var streaks: Int64
    /// Streaks that would break.
    package var broken: Int64
    /// When they were counted; nil until they are.
    package var counted: Instant?
    /// Whether the shard has yet to close the day.
    package var isOpen: Bool
    /// When the day ended.
    package var end: Instant

    package init(
      shard: Int64, place: ZoneDay, end: Instant, streaks: Int64 = 0, broken: Int64 = 0,
      counted: Instant? = nil, isOpen: Bool = true
    ) {
      self.end = end
      self.shard = shard
      self.place = place
      self.streaks = streaks
      self.broken = broken
      self.counted = counted
      self.isOpen = isOpen
    }
  }

  /// A shard's last report of its usual counts.
  package struct Baseline: Equatable, Sendable {
    /// The shard.
    package var shard: Int64
    /// When it last reported; nil if never.
    package var at: Instant?
    /// Users who had a streak in its last closes.
    package var usualStreaks: Int64
    /// Streaks that broke in them.
    package var usualBroken: Int64
  }

  /// How far a shard is behind with its closes.
  package struct Lag: Equatable, Sendable {
    /// Dates of zones that have ended but are still open, as last reported.
    package var openDays: Int64
    /// How long ago the earliest of them ended, in seconds by the database's clock; 0 if there is none.
    package var seconds: Int64
  }

  /// The maximum number of attempts when the server asks to repeat a transaction.
  private static let tries = 10

  private let pool: DatabasePool
  private let shard: Int64

  /// Creates access to the streaks for `shard`.
  package init(_ pool: DatabasePool, shard: Int) {
    (self.pool, self.shard) = (pool, Int64(shard))
  }

  /// Reports this shard's usual counts.
  package func publish(
    at: Instant, usualStreaks: Int64, usualBroken: Int64
  ) throws(DatabaseError) {
    try transact([standing(at, usualStreaks, usualBroken)])
  }

  /// Reports all days that have ended here and are still open, with counts where there are any.
  ///
  /// `keepsLarger` names the days whose earlier counts must not shrink. Reports on closed days before `oldest` are deleted.
  package func publish(
    _ open: [Row], keepsLarger: Set<ZoneDay>, oldest: Day, at: Instant, usualStreaks: Int64,
    usualBroken: Int64
  ) throws(DatabaseError) {
    let names = open.map { "\($0.place)" }
    var statements = [
      DatabaseStatement(
        "DELETE FROM rewards.streaks WHERE shard = $1 AND (is_open = 0 AND day < $2 OR counted IS NULL AND zone || '/' || day <> ALL($3))",
        [.number(shard), .text("\(oldest)"), .texts(names)]),
      DatabaseStatement(
        "UPDATE rewards.streaks SET is_open = 0 WHERE shard = $1 AND is_open = 1 AND zone || '/' || day <> ALL($2)",
        [.number(shard), .texts(names)]),
    ]
    for row in open {
      let place: [DatabaseValue] = [
        .number(shard), .text(row.place.zone), .text("\(row.place.day)"), .number(row.end.seconds),
      ]
      guard let counted = row.counted else {
        statements.append(
          DatabaseStatement(
            """
            INSERT INTO rewards.streaks (shard, zone, day, ended, streaks, broken, is_open)
            VALUES ($1, $2, $3, $4, 0, 0, 1)
            ON CONFLICT (shard, zone, day) DO UPDATE SET ended = excluded.ended, is_open = 1
            """, place))
        continue
      }
      let larger = keepsLarger.contains(row.place)
      let kept = { (column: String) -> String in
        larger ? "greatest(streaks.\(column), excluded.\(column))" : "excluded.\(column)"
      }
      statements.append(
        DatabaseStatement(
          """
          INSERT INTO rewards.streaks (shard, zone, day, ended, streaks, broken, counted, is_open)
          VALUES ($1, $2, $3, $4, $5, $6, $7, 1)
          ON CONFLICT (shard, zone, day) DO UPDATE SET
            streaks = \(kept("streaks")), broken = \(kept("broken")), counted = excluded.counted,
            ended = excluded.ended, is_open = 1
          """,
          place + [.number(row.streaks), .number(row.broken), .number(counted.seconds)]))
    }
    try transact(statements + [standing(at, usualStreaks, usualBroken)])
  }

  /// Returns all shards' reports on these zones and days, in order, including this one's.
  package func rows(
    zones: [String], days: [Day]
  ) throws(DatabaseError) -> [Row] {
    try rows("zone = ANY($2) AND day = ANY($3)", [.texts(zones), .texts(days.map { "\($0)" })])
  }

  /// Returns the days that are open in other shards, in order.
  package func openElsewhere() throws(DatabaseError) -> [Row] {
    try rows("shard <> $1 AND is_open = 1", [])
  }

  /// Returns all shards' reports on days that they have closed since, in order.
  package func countedAndClosed() throws(DatabaseError) -> [Row] {
    try rows("is_open = 0 AND counted IS NOT NULL", [])
  }

  /// Returns the other shards' usual counts, in order.
  package func otherBaselines() throws(DatabaseError) -> [Baseline] {
    let rows = try run(
      """
      SELECT s.shard, t.at, coalesce(t.usual_streaks, 0), coalesce(t.usual_broken, 0)
      FROM rewards.shard s LEFT JOIN rewards.told t ON t.shard = s.shard
      WHERE s.shard <> $1 ORDER BY s.shard
      """, [])
    return (0..<rows.count).map { row in
      Baseline(
        shard: rows.number(row, 0),
        at: rows.isNull(row, 1) ? nil : Instant(seconds: rows.number(row, 1)),
        usualStreaks: rows.number(row, 2), usualBroken: rows.number(row, 3))
    }
  }

  /// Returns how far each shard that has reported is behind, by its number.
  package func lags() throws(DatabaseError) -> [Int64: Lag] {
    let rows = try run(
      """
      SELECT t.shard, count(s.day), coalesce(floor(extract(epoch FROM now()))::int8 - min(s.ended), 0)
      FROM rewards.told t LEFT JOIN rewards.streaks s ON s.shard = t.shard AND s.is_open = 1
      WHERE $1 >= 0 GROUP BY t.shard
      """, [])
    return (0..<rows.count).reduce(into: [:]) {
      $0[rows.number($1, 0)] = Lag(openDays: rows.number($1, 1), seconds: rows.number($1, 2))
    }
  }

  /// Records that this shard's streaks were counted at `at`, and whether the result needs attention.
  package func recordCounting(at: Instant, needsAttention: Bool) throws(DatabaseError) {
    try transact([
      DatabaseStatement(
        "UPDATE rewards.told SET counted = $2, attention = $3 WHERE shard = $1",
        [.number(shard), .number(at.seconds), .number(needsAttention ? 1 : 0)])
    ])
  }

  /// Returns the last recorded count; nil before the first.
  package func lastCounting() throws(DatabaseError) -> (at: Instant, needsAttention: Bool)? {
    let rows = try run(
      "SELECT counted, attention FROM rewards.told WHERE shard = $1 AND counted IS NOT NULL", [])
    guard rows.count == 1 else { return nil }
    return (Instant(seconds: rows.number(0, 0)), rows.number(0, 1) == 1)
  }

  private func standing(
    _ at: Instant, _ usualStreaks: Int64, _ usualBroken: Int64
  ) -> DatabaseStatement {
    DatabaseStatement(
      """
      INSERT INTO rewards.told (shard, at, usual_streaks, usual_broken, attention)
      VALUES ($1, $2, $3, $4, 0)
      ON CONFLICT (shard) DO UPDATE SET at = excluded.at,
        usual_streaks = excluded.usual_streaks, usual_broken = excluded.usual_broken
      """,
      [.number(shard), .number(at.seconds), .number(usualStreaks), .number(usualBroken)])
  }

  private func rows(
    _ condition: String, _ values: [DatabaseValue]
  ) throws(DatabaseError) -> [Row] {
    let rows = try run(
      """
      SELECT shard, zone, day, ended, streaks, broken, counted, is_open FROM rewards.streaks
      WHERE $1 >= 0 AND \(condition) ORDER BY shard, day, zone
      """, values)
    return (0..<rows.count).compactMap { row in
      Day(rows.text(row, 2)).map { day in
        Row(
          shard: rows.number(row, 0), place: ZoneDay(rows.text(row, 1), day),
          end: Instant(seconds: rows.number(row, 3)), streaks: rows.number(row, 4),
          broken: rows.number(row, 5),
          counted: rows.isNull(row, 6) ? nil : Instant(seconds: rows.number(row, 6)),
          isOpen: rows.number(row, 7) == 1)
      }
    }
  }

  private func transact(_ statements: [DatabaseStatement]) throws(DatabaseError) {
    let transaction = [DatabaseStatement("BEGIN")] + statements + [DatabaseStatement("COMMIT")]
    for attempt in 1... {
      do throws(DatabaseError) {
        return try pool.withConnection { connection throws(DatabaseError) in
          _ = try connection.run(transaction, within: pool.limitSeconds)
        }
      } catch {
        if !error.wantsAnotherTry || attempt == Self.tries { throw error }
      }
    }
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
