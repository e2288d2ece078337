internal import Digests
internal import Ledger

/// The rows of a shard's chain, which any reader may query. Blocks.
struct ShardRows {
  let shard: Int64
  let pool: DatabasePool

  /// A piece of a segment.
  struct Chunk {
    let segment: Int64
    /// Where it begins in the segment.
    let start: Int64
    /// The sequence numbers of its first and last lines.
    let first: Int64
    let last: Int64
    /// The bytes; nil if the row holds something else.
    let bytes: [UInt8]?
  }

  /// The row of a seal that ended an append.
  struct Seal {
    let seq: Int64
    let hash: [UInt8]
    let token: Int64
  }

  /// The row of a key, and the day it is stored under.
  struct Key {
    let row: GrantKeyRow
    let day: Int64
  }

  /// The time limit, in seconds, of queries that scan a whole table.
  private static let scanSeconds = 3_600.0

  /// Returns the head and the token in the shard's row; nil if the row is missing or holds no head.
  func head() throws(DatabaseError) -> (head: ShardHead, token: Int64)? {
    let rows = try query("SELECT seq, hash, at, token FROM rewards.shard WHERE shard = $1")
    guard rows.count == 1, let head = ShardHead(rows, 0, from: 0) else { return nil }
    return (head, rows.number(0, 3))
  }

  /// Returns whether the seal of a head was committed.
  func holds(_ head: ShardHead) throws(DatabaseError) -> Bool {
    let rows = try query(
      "SELECT hash FROM rewards.seal WHERE shard = $1 AND seq = $2", [head.values[0]])
    return rows.count == 1 && rows.bytes(0, 0) == head.state.hash.bytes
  }

  /// Returns the first sequence numbers of the segments, in order.
  func segments() throws(DatabaseError) -> [UInt64] {
    var found: [UInt64] = []
    while true {
      let rows = try query(
        """
        SELECT segment FROM rewards.chunk WHERE shard = $1 AND segment > $2
        ORDER BY segment LIMIT 1
        """, [.number(Int64(bitPattern: found.last ?? 0))])
      if rows.count == 0 { return found }
      found.append(UInt64(bitPattern: rows.number(0, 0)))
    }
  }

  /// Returns the length of a segment; nil if there is none.
  func size(of segment: UInt64) throws(DatabaseError) -> Int? {
    let rows = try query(
      """
      SELECT start + size FROM rewards.chunk WHERE shard = $1 AND segment = $2
      ORDER BY start DESC LIMIT 1
      """, [.number(Int64(bitPattern: segment))])
    return rows.count == 1 ? Int(rows.number(0, 0)) : nil
  }

  /// Returns the chunks of a segment that contain the `count` bytes from `offset` on, in order; none at the end.
  func chunks(
    of segment: UInt64, at offset: Int, count: Int
  ) throws(DatabaseError) -> [Chunk] {
    try chunks(
      """
      segment = $2 AND start < $4 AND start >= COALESCE((
        SELECT start FROM rewards.chunk WHERE shard = $1 AND segment = $2 AND start <= $3
        ORDER BY start DESC LIMIT 1), 0)
      ORDER BY start
      """,
      [
        .number(Int64(bitPattern: segment)), .number(Int64(offset)),
        .number(Int64(offset + count)),
      ])
  }

  /// Returns some chunks after the one that begins at byte `start` of `segment`, in order; none at the end.
  func chunks(after segment: Int64, _ start: Int64) throws(DatabaseError) -> [Chunk] {
    try chunks(
      "(segment > $2 OR (segment = $2 AND start > $3)) ORDER BY segment, start LIMIT 16",
      [.number(segment), .number(start)])
  }

  private func chunks(
    _ condition: String, _ values: [DatabaseValue]
  ) throws(DatabaseError) -> [Chunk] {
    let rows = try query(
      """
      SELECT segment, start, first, last, size, codec, bytes FROM rewards.chunk
      WHERE shard = $1 AND \(condition)
      """, values)
    return (0..<rows.count).map { row in
      let bytes = rows.withBytes(row, 6) {
        ChunkBytes.unpacked(codec: rows.number(row, 5), $0, size: Int(rows.number(row, 4)))
      }
      return Chunk(
        segment: rows.number(row, 0), start: rows.number(row, 1), first: rows.number(row, 2),
        last: rows.number(row, 3), bytes: bytes)
    }
  }

  /// Returns some rows of seals after `seq` up to `last`, in order; none at the end.
  func seals(after seq: Int64, through last: UInt64) throws(DatabaseError) -> [Seal] {
    let rows = try query(
      """
      SELECT seq, hash, token FROM rewards.seal WHERE shard = $1 AND seq > $2 AND seq <= $3
      ORDER BY seq LIMIT 10000
      """, [.number(seq), .number(Int64(bitPattern: last))])
    return (0..<rows.count).map { row in
      Seal(
        seq: rows.number(row, 0), hash: rows.bytes(row, 1), token: rows.number(row, 2))
    }
  }

  /// Returns the rows of keys whose lines are in `seqs`.
  func keys(in seqs: ClosedRange<Int64>) throws(DatabaseError) -> [Key] {
    let rows = try query(
      "SELECT key, seq, kday FROM rewards.grant_key WHERE shard = $1 AND seq >= $2 AND seq <= $3",
      [.number(seqs.lowerBound), .number(seqs.upperBound)], within: Self.scanSeconds)
    return (0..<rows.count).map { row in
      Key(
        row: GrantKeyRow(key: rows.text(row, 0), seq: rows.number(row, 1)),
        day: rows.number(row, 2))
    }
  }

  /// Returns some rows beyond the head, from a single query.
  func beyondHead() throws(DatabaseError) -> [(table: String, seq: Int64)] {
    let rows = try query(
      """
      SELECT 'chunk', c.last FROM rewards.chunk c JOIN rewards.shard s ON s.shard = c.shard
      WHERE c.shard = $1 AND c.last > s.seq
      UNION ALL
      SELECT 'seal', r.seq FROM rewards.seal r JOIN rewards.shard s ON s.shard = r.shard
      WHERE r.shard = $1 AND (r.seq > s.seq OR r.seq < 1)
      UNION ALL
      SELECT 'grant_key', k.seq FROM rewards.grant_key k JOIN rewards.shard s ON s.shard = k.shard
      WHERE k.shard = $1 AND k.seq > s.seq
      LIMIT 10000
      """, within: Self.scanSeconds)
    return (0..<rows.count).map { (rows.text($0, 0), rows.number($0, 1)) }
  }

  /// Returns a statement that deletes these rows of keys.
  func removal(of keys: [Key]) -> DatabaseStatement {
    DatabaseStatement(
      """
      DELETE FROM rewards.grant_key WHERE shard = $1
      AND (kday, key, seq) IN (SELECT * FROM unnest($2::int4[], $3::text[], $4::int8[]))
      """,
      [
        .number(shard), .numbers(keys.map(\.day)), .texts(keys.map(\.row.key)),
        .numbers(keys.map(\.row.seq)),
      ])
  }

  /// Returns a statement that deletes all rows with these keys, whatever line they name.
  func removal(ofKeys rows: [GrantKeyRow]) -> DatabaseStatement {
    DatabaseStatement(
      """
      DELETE FROM rewards.grant_key WHERE shard = $1
      AND (kday, key) IN (SELECT * FROM unnest($2::int4[], $3::text[]))
      """, [.number(shard), .numbers(rows.map(\.day)), .texts(rows.map(\.key))])
  }

  private func query(
    _ text: String, _ values: [DatabaseValue] = [], within seconds: Double? = nil
  ) throws(DatabaseError) -> DatabaseRows {
    try pool.withConnection { connection throws(DatabaseError) in
      try connection.run(
        DatabaseStatement(text, [.number(shard)] + values), within: seconds ?? pool.limitSeconds)
    }
  }
}

/// The rows of a shard's seals, one after another.
struct SealRows {
  private let rows: ShardRows
  private let end: UInt64
  private var known: ArraySlice<ShardRows.Seal> = []
  private var isOver = false
  /// The last row returned.
  private(set) var last: ShardRows.Seal?
  /// The token of the row before it.
  private(set) var tokenBefore: Int64?

  init(_ rows: ShardRows, through end: UInt64) { (self.rows, self.end) = (rows, end) }

  /// Returns the next row up to `seq`; nil if there is none.
  mutating func next(through seq: UInt64) throws(DatabaseError) -> ShardRows.Seal? {
    if known.isEmpty, !isOver {
      known = try rows.seals(after: last?.seq ?? 0, through: end)[...]
      isOver = known.isEmpty
    }
    guard let row = known.first, row.seq <= Int64(bitPattern: seq) else { return nil }
    known.removeFirst()
    (tokenBefore, last) = (last?.token, row)
    return row
  }
}
