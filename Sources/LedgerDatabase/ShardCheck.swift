internal import Digests
public import Ledger
public import PostgreSQL

/// What a database keeps beside a shard's chain, held against the chain: its head, the rows of seals, and the keys of grants.
///
/// The chain is read up to the head that the shard's row has when the check begins: an append meanwhile disturbs nothing.
/// Memory does not grow with the ledger, but with what is wrong. What the chain itself says, ``LedgerStore/LedgerVerifier``
/// checks. Blocks.
public struct ShardCheck: Sendable, Equatable {
  /// Something that is not as the chain has it.
  public struct Flaw: Sendable, Equatable {
    /// The table in which it stands, without the schema.
    public let table: String
    /// The sequence number of the line that it is about, as the row has it.
    public let seq: Int64
    /// What is wrong.
    public let what: String
  }

  /// How many flaws are listed; ``flawCount`` tells how many there are.
  public static let flawLimit = 1_000

  /// The shard's number.
  public let shard: Int64
  /// The last seal of the chain up to which was read.
  public private(set) var head = ChainState.origin.head
  /// How many grants the chain has.
  public private(set) var grants = 0
  /// What is wrong, in no order; not more than ``flawLimit``.
  public private(set) var flaws: [Flaw] = []
  /// How much is wrong.
  public private(set) var flawCount = 0
  /// How many rows of keys were written or taken away before this was found.
  public private(set) var mended = 0

  /// Whether nothing is wrong.
  public var isSound: Bool { flawCount == 0 }
  /// Whether keys are all that is wrong, so that they can be mended.
  public var isMendable: Bool { flawCount > 0 && flawCount == keyFlawCount }
  private var keyFlawCount = 0
  /// So many keys are compared at once: for each such part of the chain the database looks through the table of keys.
  private let keysAtOnce: Int

  /// Checks all shards that there should be, in order; throws ``PostgreSQL/DatabaseError``.
  public static func all(_ pool: DatabasePool) throws(DatabaseError) -> [ShardCheck] {
    var checks: [ShardCheck] = []
    for shard in try shards(pool) { checks.append(try ShardCheck(shard, pool)) }
    return checks
  }

  /// Checks all shards, and gives the table of keys the rows that the chains' grants should have and no others.
  ///
  /// Needs each shard's lease, which a running service has. A shard of which anything else is wrong is left as it is: its chain
  /// may not be what it was. Throws ``PostgreSQL/DatabaseError`` or ``Files/FileError``.
  public static func mendingKeys(
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

  /// Checks a shard.
  init(
    _ shard: Int64, _ pool: DatabasePool, keysAtOnce: Int = Self.usualKeysAtOnce
  ) throws(DatabaseError) {
    self.init(of: shard, keysAtOnce)
    try run(pool, mending: nil)
  }

  private init(of shard: Int64, _ keysAtOnce: Int) {
    (self.shard, self.keysAtOnce) = (shard, keysAtOnce)
  }

  /// Makes changes of rows under the lease, all of them or none.
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
        "shard", end.storedSeq, "the row's head is \(end.head), the chain's is \(head)"
      )
    } else if end.seq > 0, walk.state.at != end.at {
      note(
        "shard", end.storedSeq,
        "the row's time is \(end.at), the chain's last line is of \(walk.state.at)")
    }
    guard walk.state.seq >= end.seq else { return }
    // Nobody appends while keys are mended: what lies behind the end is nobody's.
    let last = mending == nil ? walk.state.storedSeq : Int64.max
    try compare(keys, in: windowStart...max(windowStart, last), rows, mending)
    if end.seq > 0, seals.last?.seq != end.storedSeq {
      note("seal", end.storedSeq, "the last seal has no row")
    }
    if let last = seals.last, last.token > token {
      note("shard", last.seq, "the row's token is \(token), a seal has \(last.token) already")
    }
    for (table, seq) in try rows.beyondHead() {
      note(table, seq, "a row lies behind the chain's end")
    }
  }

  private mutating func note(_ table: String, _ seq: Int64, _ what: String) {
    flawCount += 1
    if table == "grant_key" { keyFlawCount += 1 }
    if flaws.count < Self.flawLimit { flaws.append(Flaw(table: table, seq: seq, what: what)) }
  }

  /// Holds the rows of seals up to a seal of the chain against it; not every seal has one.
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

  /// Holds the rows of keys whose lines lie in `seqs` against those that should be there.
  private mutating func compare(
    _ keys: [GrantKeyRow], in seqs: ClosedRange<Int64>, _ rows: ShardRows, _ mending: Change?
  ) throws(DatabaseError) {
    var missing = Set(keys)
    var foreign: [ShardRows.Key] = []
    for key in try rows.keys(in: seqs) {
      // One under another day than its key says is found by nobody.
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
      // A row that has the key for another line is in the way, wherever that line lies.
      try mending([
        rows.removal(ofKeys: part), GrantKeyRow.insertion(of: part, shard: shard),
      ])
      mended += part.count
    }
  }

  /// So many rows are changed at once: the server has to answer within the usual time.
  private static let rowsAChange = 10_000
}

extension Array {
  /// Parts of at most `count` elements, in order.
  fileprivate func divided(into count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map {
      Array(self[$0..<Swift.min($0 + count, self.count)])
    }
  }
}
