internal import Ledger
internal import PostgreSQL

/// The rows of a shard's chain, as any reader may ask for them. Blocks.
struct ShardRows {
  let shard: Int64
  let pool: DatabasePool

  /// Some bytes of a segment.
  struct Chunk {
    let segment: UInt64
    /// Where they begin in the segment.
    let start: Int
    /// Nil when the row holds something else.
    let bytes: [UInt8]?
  }

  /// The row of a seal that ended an append.
  struct Seal {
    let seq: UInt64
    let hash: [UInt8]
    let token: Int64
  }

  /// The head as the shard's row has it, and the token there; nil where the row is missing or holds no head.
  func head() throws(DatabaseError) -> (head: ShardHead, token: Int64)? {
    let rows = try ask("SELECT seq, hash, at, token FROM rewards.shard WHERE shard = $1")
    guard rows.count == 1, let head = ShardHead(rows, 0, from: 0) else { return nil }
    return (head, rows.number(0, 3))
  }

  /// Some chunks from a byte of a segment on, in order; none at the end.
  func chunks(from segment: UInt64, _ start: Int) throws(DatabaseError) -> [Chunk] {
    let rows = try ask(
      """
      SELECT segment, start, size, codec, bytes FROM rewards.chunk
      WHERE shard = $1 AND (segment > $2 OR (segment = $2 AND start >= $3))
      ORDER BY segment, start LIMIT 16
      """, [.number(Int64(bitPattern: segment)), .number(Int64(start))])
    return (0..<rows.count).map { row in
      let bytes = rows.withBytes(row, 4) {
        ChunkBytes.unpacked(codec: rows.number(row, 3), $0, size: Int(rows.number(row, 2)))
      }
      return Chunk(
        segment: UInt64(bitPattern: rows.number(row, 0)), start: Int(rows.number(row, 1)),
        bytes: bytes)
    }
  }

  /// Some rows of seals behind `seq` up to `last`, in order; none at the end.
  func seals(after seq: UInt64, through last: UInt64) throws(DatabaseError) -> [Seal] {
    let rows = try ask(
      """
      SELECT seq, hash, token FROM rewards.seal WHERE shard = $1 AND seq > $2 AND seq <= $3
      ORDER BY seq LIMIT 10000
      """, [.number(Int64(bitPattern: seq)), .number(Int64(bitPattern: last))])
    return (0..<rows.count).map { row in
      Seal(
        seq: UInt64(bitPattern: rows.number(row, 0)), hash: rows.bytes(row, 1),
        token: rows.number(row, 2))
    }
  }

  /// The rows of keys whose lines lie in `seqs`, with the days in the rows.
  func keys(
    in seqs: ClosedRange<UInt64>
  ) throws(DatabaseError) -> [(row: GrantKeyRow, day: Int64)] {
    let rows = try ask(
      "SELECT key, seq, kday FROM rewards.grant_key WHERE shard = $1 AND seq >= $2 AND seq <= $3",
      [
        .number(Int64(bitPattern: seqs.lowerBound)), .number(Int64(bitPattern: seqs.upperBound)),
      ])
    return (0..<rows.count).map { row in
      (
        GrantKeyRow(key: rows.text(row, 0), seq: UInt64(bitPattern: rows.number(row, 1))),
        rows.number(row, 2)
      )
    }
  }

  /// Some rows that lie behind the head, as one look at the database shows it.
  func beyondHead() throws(DatabaseError) -> [(table: String, seq: UInt64)] {
    let rows = try ask(
      """
      SELECT 'chunk', c.last FROM rewards.chunk c JOIN rewards.shard s ON s.shard = c.shard
      WHERE c.shard = $1 AND c.last > s.seq
      UNION ALL
      SELECT 'seal', r.seq FROM rewards.seal r JOIN rewards.shard s ON s.shard = r.shard
      WHERE r.shard = $1 AND r.seq > s.seq
      UNION ALL
      SELECT 'grant_key', k.seq FROM rewards.grant_key k JOIN rewards.shard s ON s.shard = k.shard
      WHERE k.shard = $1 AND (k.seq > s.seq OR k.seq < 1)
      LIMIT 1000
      """)
    return (0..<rows.count).map { (rows.text($0, 0), UInt64(bitPattern: rows.number($0, 1))) }
  }

  /// Takes a row of a key away.
  func removal(of row: GrantKeyRow, day: Int64) -> DatabaseStatement {
    DatabaseStatement(
      "DELETE FROM rewards.grant_key WHERE shard = $1 AND kday = $2 AND key = $3 AND seq = $4",
      [
        .number(shard), .number(day), .text(row.key), .number(Int64(bitPattern: row.seq)),
      ])
  }

  private func ask(
    _ text: String, _ values: [DatabaseValue] = []
  ) throws(DatabaseError) -> DatabaseRows {
    try pool.withConnection { connection throws(DatabaseError) in
      try connection.run(
        DatabaseStatement(text, [.number(shard)] + values), within: pool.limitSeconds)
    }
  }
}

/// The rows of a shard's seals, one after the other.
struct SealRows {
  private let rows: ShardRows
  private let end: UInt64
  private var known: ArraySlice<ShardRows.Seal> = []
  private var isOver = false
  /// The row that came last.
  private(set) var last: ShardRows.Seal?
  /// The token of the row before that.
  private(set) var tokenBefore: Int64?

  init(_ rows: ShardRows, through end: UInt64) { (self.rows, self.end) = (rows, end) }

  /// The next row up to `seq`; nil when there is none.
  mutating func next(through seq: UInt64) throws(DatabaseError) -> ShardRows.Seal? {
    if known.isEmpty, !isOver {
      known = try rows.seals(after: last?.seq ?? 0, through: end)[...]
      isOver = known.isEmpty
    }
    guard let row = known.first, row.seq <= seq else { return nil }
    known.removeFirst()
    (tokenBefore, last) = (last?.token, row)
    return row
  }
}
