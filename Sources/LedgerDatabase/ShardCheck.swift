internal import Digests
package import Ledger

/// A comparison of a shard's chain with its other tables: the head, the rows of seals, and the keys of grants. Blocks.
///
/// Reads the chain up to the head in the shard's row at the start, so that concurrent appends do not disturb it. Memory does not
/// grow with the ledger, only with the number of flaws. The chain itself is checked by ``LedgerStore/LedgerVerifier``.
package struct ShardCheck: Sendable, Equatable {
  /// A difference from the chain.
  package struct Flaw: Sendable, Equatable {
    /// The table concerned, without the schema.
    package let table: String
    /// The sequence number of the line concerned, as in the row.
    package let seq: Int64
    /// What is wrong.
    package let what: String
  }

  /// The maximum number of flaws listed; ``flawCount`` has their total.
  package static let flawLimit = 1_000

  /// The shard's number.
  package let shard: Int64
  /// The last seal of the chain that was read.
  package private(set) var head = ChainState.origin.head
  /// The number of grants in the chain.
  package private(set) var grants = 0
  /// The flaws found, in no order; at most ``flawLimit``.
  package private(set) var flaws: [Flaw] = []
  /// The total number of flaws.
  package private(set) var flawCount = 0
  /// How many rows of keys were written or removed before this result.
  package private(set) var mended = 0

  /// Whether there are no flaws.
  package var isSound: Bool { flawCount == 0 }
  /// Whether all flaws concern keys, so that they can be mended.
  package var isMendable: Bool { flawCount > 0 && flawCount == keyFlawCount }
  private var keyFlawCount = 0
  /// How many keys are compared at once; for each such part of the chain the database scans the table of keys.
  private let keysAtOnce: Int

  /// Checks every shard that should exist, in order; throws ``LedgerDatabase/DatabaseError``.
  package static func all(_ pool: DatabasePool) throws(DatabaseError) -> [ShardCheck] {
    var checks: [ShardCheck] = []
    for shard in try shards(pool) { checks.append(try ShardCheck(shard, pool)) }
    return checks
  }

  /// Checks all shards and corrects the table of keys, so that it has exactly the rows of the chains' grants.
  ///
  /// Needs each shard's lease, so no service may be running. A shard with any other flaw is left unchanged, because its chain may
  /// not be what it was. Throws ``LedgerDatabase/DatabaseError`` or ``Foundations/FileError``.
  package static func mendingKeys(
    _ pool: DatabasePool, worker: String
  ) throws -> [ShardCheck] {
    try shards(pool).map { try mendingKeys(of: $0, pool, worker: worker) }
  }

  private static func shards(_ pool: DatabasePool) throws(DatabaseError) -> Range<Int64> {
    0..<(try DatabaseSchema(pool).require().shards)
  }

  static func mendingKeys(
    of shard: Int64, _ pool: DatabasePool, worker: String, keysAtOnce: Int = Self.usualKeysAtOnce
  ) throws -> ShardCheck {
    let writer = ShardWriter(
      shard: shard, pool: pool, worker: worker, time: .machine, clock: DatabaseTime(.machine))
    let lock = try ShardLock(writer, path: "\(pool.address.name)/\(shard)", time: .machine)
    defer { withExtendedLifetime(lock) {} }
    let found = try ShardCheck(shard, pool, keysAtOnce: keysAtOnce)
    guard found.isMendable else { return found }
    var mending = ShardCheck(of: shard, keysAtOnce)
    try mending.run(pool) { statements throws(DatabaseError) in
      switch writer.change(statements) {
      case .committed: break
      case .refused(let error), .unknown(let error): throw error
      case .fenced:
        throw DatabaseError(state: "55006", message: "the lease on shard \(shard) was lost")
      }
    }
    var after = try ShardCheck(shard, pool, keysAtOnce: keysAtOnce)
    after.mended = mending.mended
    return after
  }

  static let usualKeysAtOnce = 200_000

  /// Creates the result of checking a shard.
  init(
    _ shard: Int64, _ pool: DatabasePool, keysAtOnce: Int = Self.usualKeysAtOnce
  ) throws(DatabaseError) {
    self.init(of: shard, keysAtOnce)
    try run(pool, mending: nil)
  }

  private init(of shard: Int64, _ keysAtOnce: Int) {
    (self.shard, self.keysAtOnce) = (shard, keysAtOnce)
  }

  /// Changes rows under the lease, all or none.
  private typealias Change = ([DatabaseStatement]) throws(DatabaseError) -> Void

  private mutating func run(_ pool: DatabasePool, mending: Change?) throws(DatabaseError) {
    let rows = ShardRows(shard: shard, pool: pool)
    guard let (end, token) = try rows.head().map({ ($0.head.state, $0.token) }) else {
      note("shard", 0, "the row of shard \(shard) is missing, or holds no head")
      return
    }
    var walk = ChainWalk(rows)
    var seals = SealRows(rows, through: end.seq)
    var windowStart = Int64.min
    var keys: [GrantKeyRow] = []
    while walk.state.seq < end.seq, let batch = try walk.next() {
      try compare(&seals, with: batch.state)
      grants += batch.keys.count
      keys += batch.keys
      guard keys.count >= keysAtOnce, batch.state.seq < end.seq else { continue }
      let last = batch.state.storedSeq
      try compare(keys, in: windowStart...last, rows, mending)
      (windowStart, keys) = (last + 1, [])
    }
    head = walk.state.head
    if walk.damage == nil, walk.state.seq >= end.seq { try walk.checkNext() }
    if let damage = walk.damage {
      note("chunk", walk.state.storedSeq + 1, damage)
      return
    }
    if head != end.head {
      note(
        "shard", end.storedSeq, "the row's head is \(end.head), but the chain's is \(head)"
      )
    } else if end.seq > 0, walk.state.at != end.at {
      note(
        "shard", end.storedSeq,
        "the row's time is \(end.at), but the chain's last line is from \(walk.state.at)")
    }
    guard walk.state.seq >= end.seq else { return }
    // Nothing is appended while keys are mended: keys after the end belong to no line.
    let last = mending == nil ? walk.state.storedSeq : Int64.max
    try compare(keys, in: windowStart...max(windowStart, last), rows, mending)
    if end.seq > 0, seals.last?.seq != end.storedSeq {
      note("seal", end.storedSeq, "the last seal has no row")
    }
    if let last = seals.last, last.token > token {
      note("shard", last.seq, "the row's token is \(token), but a seal already has \(last.token)")
    }
    for (table, seq) in try rows.beyondHead() {
      note(table, seq, "a row lies beyond the chain's end")
    }
  }

  private mutating func note(_ table: String, _ seq: Int64, _ what: String) {
    flawCount += 1
    if table == "grant_key" { keyFlawCount += 1 }
    if flaws.count < Self.flawLimit { flaws.append(Flaw(table: table, seq: seq, what: what)) }
  }

  /// Compares the rows of seals up to a seal of the chain with it; not every seal has a row.
  private mutating func compare(
    _ seals: inout SealRows, with state: ChainState
  ) throws(DatabaseError) {
    while let row = try seals.next(through: state.seq) {
      if row.seq < state.storedSeq {
        note("seal", row.seq, "the chain has no seal there")
      } else if row.hash != state.hash.bytes {
        note("seal", row.seq, "its hash is not that of the chain's seal")
      }
      if let last = seals.tokenBefore, row.token < last {
        note(
          "seal", row.seq, "its token \(row.token) is older than \(last), that of the seal before")
      }
    }
  }

  /// Compares the rows of keys whose lines are in `seqs` with the expected ones.
  private mutating func compare(
    _ keys: [GrantKeyRow], in seqs: ClosedRange<Int64>, _ rows: ShardRows, _ mending: Change?
  ) throws(DatabaseError) {
    var missing = Set(keys)
    var foreign: [ShardRows.Key] = []
    for key in try rows.keys(in: seqs) {
      // A key stored under another day than its own can never be found.
      if key.day == key.row.day, missing.remove(key.row) != nil { continue }
      foreign.append(key)
    }
    for key in foreign {
      note("grant_key", key.row.seq, "the chain has no grant \(key.row.key) there")
    }
    let wanted = missing.sorted { $0.seq < $1.seq }
    for row in wanted { note("grant_key", row.seq, "the grant \(row.key) has no row") }
    guard let mending else { return }
    for part in foreign.divided(into: Self.rowsAChange) {
      try mending([rows.removal(of: part)])
      mended += part.count
    }
    for part in wanted.divided(into: Self.rowsAChange) {
      // A row with the key for another line is in the way, wherever that line is.
      try mending([
        rows.removal(ofKeys: part), GrantKeyRow.insertion(of: part, shard: shard),
      ])
      mended += part.count
    }
  }

  /// How many rows are changed at once, so that the server can answer within the usual time.
  private static let rowsAChange = 10_000
}

extension Array {
  /// Returns parts of at most `count` elements, in order.
  fileprivate func divided(into count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map {
      Array(self[$0..<Swift.min($0 + count, self.count)])
    }
  }
}
