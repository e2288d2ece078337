package import Ledger

/// A shard's row, as shown to operators.
package struct ShardStatus: Equatable, Sendable {
  /// The shard's number.
  package let shard: Int64
  /// How many times a lease was taken.
  package let token: Int64
  /// The last worker to take it; nil if none has.
  package let holder: String?
  /// The sequence number of the last seal.
  package let seq: UInt64
  /// How much longer the lease lasts, in seconds by the database's clock; negative if it has ended.
  package let secondsLeft: Int64

  /// Returns all shards in order; throws ``DatabaseError``. Blocks.
  package static func all(_ pool: DatabasePool) throws(DatabaseError) -> [ShardStatus] {
    try DatabaseSchema(pool).require()
    return try pool.withConnection { connection throws(DatabaseError) in
      let rows = try connection.run(
        DatabaseStatement(
          """
          SELECT shard, token, holder, seq, floor(extract(epoch FROM expires - now()))::int8
          FROM rewards.shard ORDER BY shard
          """), within: pool.limitSeconds)
      return (0..<rows.count).map { row in
        ShardStatus(
          shard: rows.number(row, 0), token: rows.number(row, 1),
          holder: rows.isNull(row, 2) ? nil : rows.text(row, 2),
          seq: UInt64(bitPattern: rows.number(row, 3)), secondsLeft: rows.number(row, 4))
      }
    }
  }

  /// Returns the head in a shard's row, which the chain must reach; nil if nothing is committed yet. Blocks.
  ///
  /// Throws ``DatabaseError``, also if there is no such row.
  package static func head(
    of shard: Int64, _ pool: DatabasePool
  ) throws(DatabaseError) -> LedgerHead? {
    try DatabaseSchema(pool).require()
    guard let head = try ShardRows(shard: shard, pool: pool).head()?.head.state.head else {
      throw ShardHead.missing(shard)
    }
    return head == .origin ? nil : head
  }
}
