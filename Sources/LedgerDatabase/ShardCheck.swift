internal import Digests
public import Ledger
public import PostgreSQL

/// What a database keeps beside a shard's chain, held against the chain: its head, the rows of seals, and the keys of grants.
///
/// The chain is read up to the head that the shard's row has when the check begins: an append meanwhile disturbs nothing.
/// Memory does not grow with the ledger. What the chain itself holds, ``LedgerStore/LedgerVerifier`` checks. Blocks.
public struct ShardCheck: Sendable, Equatable {
  /// Something that is not as the chain has it.
  public struct Flaw: Sendable, Equatable {
    /// The table in which it stands, without the schema.
    public let table: String
    /// The sequence number of the line that it is about.
    public let seq: UInt64
    /// What is wrong.
    public let what: String
  }

  /// How many flaws are listed; ``flawCount`` tells how many there are.
  public static let flawLimit = 1_000

  /// The shard's number.
  public let shard: Int64
  /// The last seal of the chain up to which was read.
  public private(set) var head: LedgerHead
  /// How many grants the chain has.
  public private(set) var grants = 0
  /// What is wrong, in no order; not more than ``flawLimit``.
  public private(set) var flaws: [Flaw] = []
  /// How much is wrong.
  public private(set) var flawCount = 0
  /// How many rows of keys were written or taken away, when that was asked for.
  public private(set) var mended = 0

  /// Whether nothing is wrong, or not any more.
  public var isSound: Bool { flawCount == mended }

  /// Checks a shard; throws ``PostgreSQL/DatabaseError``.
  public init(_ shard: Int64, _ pool: DatabasePool) throws(DatabaseError) {
    try self.init(shard, pool, change: nil)
  }

  /// Checks a shard, and gives the table of keys the rows that the chain's grants should have and no others. Needs the lease, which
  /// a running service has. Throws ``PostgreSQL/DatabaseError``.
  public static func mendingKeys(
    of shard: Int64, _ pool: DatabasePool, worker: String
  ) throws(DatabaseError) -> ShardCheck {
    let writer = ShardWriter(shard: shard, pool: pool, worker: worker, time: .machine)
    _ = writer.begin()
    try writer.acquire()
    defer { writer.giveBack() }
    guard writer.token != nil else {
      let holder = try ShardStatus.all(pool).first { $0.shard == shard }?.holder
      throw DatabaseError(
        state: "55006", message: "shard \(shard) is held by \(holder ?? "another process")")
    }
    return try ShardCheck(
      shard, pool,
      change: { statements throws(DatabaseError) in
        switch writer.change(statements) {
        case .committed: break
        case .refused(let error), .unknown(let error): throw error
        case .fenced:
          throw DatabaseError(state: "55006", message: "the lease on shard \(shard) was lost")
        }
        writer.renew()
      })
  }

  private init(
    _ shard: Int64, _ pool: DatabasePool,
    change: Change?
  ) throws(DatabaseError) {
    self.shard = shard
    head = ChainState.origin.head
    try DatabaseSchema(pool).require()
    let rows = ShardRows(shard: shard, pool: pool)
    guard let end = try rows.head()?.head.state else {
      note("shard", 0, "the row of shard \(shard) is missing, or holds no head")
      return
    }
    var walk = ChainWalk(rows)
    var seals = SealRows(rows, through: end.seq)
    var windowStart: UInt64 = 0
    var keys: [GrantKeyRow] = []
    while walk.state.seq < end.seq, let batch = try walk.next() {
      try compare(&seals, with: batch.state)
      grants += batch.keys.count
      keys += batch.keys
      let isLast = batch.state.seq >= end.seq
      guard keys.count >= Self.keysAtOnce || isLast else { continue }
      // Nobody appends while keys are mended: what lies behind the end is nobody's.
      let last = isLast && change != nil ? UInt64(Int64.max) : batch.state.seq
      try compare(keys, in: windowStart...last, rows, change)
      windowStart = batch.state.seq + 1
      keys = []
    }
    head = walk.state.head
    if let damage = walk.damage {
      note("chunk", walk.state.seq + 1, damage)
      return
    }
    if walk.state.head != end.head || end.seq > 0 && walk.state.at != end.at {
      note("shard", end.seq, "the row's head is \(end.head), the chain's is \(walk.state.head)")
    }
    guard walk.state.seq >= end.seq else { return }
    if end.seq > 0, seals.last?.seq != end.seq {
      note("seal", end.seq, "the last seal has no row")
    }
    for (table, seq) in try rows.beyondHead() {
      note(table, seq, "a row lies behind the chain's end")
    }
  }

  /// Makes changes of rows under the lease, all of them or none.
  private typealias Change = ([DatabaseStatement]) throws(DatabaseError) -> Void

  /// So many keys are compared at once: for each such part of the chain the database looks through the table of keys.
  private static let keysAtOnce = 200_000

  private mutating func note(_ table: String, _ seq: UInt64, _ what: String) {
    flawCount += 1
    if flaws.count < Self.flawLimit { flaws.append(Flaw(table: table, seq: seq, what: what)) }
  }

  /// Holds the rows of seals up to a seal of the chain against it; not every seal has one.
  private mutating func compare(
    _ seals: inout SealRows, with state: ChainState
  ) throws(DatabaseError) {
    while let row = try seals.next(through: state.seq) {
      if row.seq < state.seq {
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

  private mutating func compare(
    _ keys: [GrantKeyRow], in seqs: ClosedRange<UInt64>, _ rows: ShardRows,
    _ change: Change?
  ) throws(DatabaseError) {
    var missing = Set(keys)
    var foreign: [(row: GrantKeyRow, day: Int64)] = []
    for (row, day) in try rows.keys(in: seqs) {
      if day == row.day, missing.remove(row) != nil { continue }
      foreign.append((row, day))
    }
    for (row, _) in foreign {
      note("grant_key", row.seq, "the chain has no grant \(row.key) there")
    }
    let wanted = missing.sorted { $0.seq < $1.seq }
    for row in wanted { note("grant_key", row.seq, "the grant \(row.key) has no row") }
    guard let change, !foreign.isEmpty || !wanted.isEmpty else { return }
    let removals = foreign.map { rows.removal(of: $0.row, day: $0.day) }
    try change(removals + (wanted.isEmpty ? [] : [GrantKeyRow.insertion(of: wanted, shard: shard)]))
    mended += foreign.count + wanted.count
  }
}
