internal import Ledger
internal import PostgreSQL

/// A walk along a shard's chain from its beginning, batch by batch.
struct ChainWalk: ~Copyable {
  /// What a seal commits.
  struct Batch {
    /// The chain behind the seal.
    let state: ChainState
    /// The keys of its grants, in order.
    let keys: [GrantKeyRow]
  }

  private let rows: ShardRows
  /// The chain behind the last batch.
  private(set) var state = ChainState.origin
  /// What is wrong where the walk ended before the chain's end; nil otherwise.
  private(set) var damage: String?
  private var segment: UInt64 = 0
  private var checker = ChainChecker(segment: "", after: .origin, byte: 0)
  /// Chunks that were read, and batches that were found in them, in order.
  private var chunks: ArraySlice<ShardRows.Chunk> = []
  private var batches: ArraySlice<Batch> = []
  /// The keys since the last seal.
  private var keys: [GrantKeyRow] = []

  init(_ rows: ShardRows) { self.rows = rows }

  /// The next batch; nil at the chain's end, and where it is damaged.
  mutating func next() throws(DatabaseError) -> Batch? {
    while batches.isEmpty, damage == nil {
      if chunks.isEmpty { chunks = try rows.chunks(from: segment, checker.byte)[...] }
      guard let chunk = chunks.popFirst() else { return nil }
      walk(over: chunk)
    }
    guard let batch = batches.popFirst() else { return nil }
    state = batch.state
    return batch
  }

  private mutating func walk(over chunk: ShardRows.Chunk) {
    if chunk.segment != segment {
      checker.finish(rest: 0, isLastSegment: false)
      if noteDamage() { return }
      segment = chunk.segment
      checker = ChainChecker(
        segment: "segment \(segment)", after: checker.lastSeal.state, byte: 0)
    }
    let place = "segment \(segment), byte \(chunk.start)"
    guard chunk.start == checker.byte else {
      damage = "\(place): the chunk before it ends at byte \(checker.byte)"
      return
    }
    guard let bytes = chunk.bytes else {
      damage = "\(place): the chunk cannot be unpacked"
      return
    }
    var found: [Batch] = []
    let isWhole = bytes.withUnsafeBufferPointer { lines in
      var rest = lines[...]
      while !rest.isEmpty {
        let (consumed, isSealed) = checker.feed(
          UnsafeBufferPointer(rebasing: rest), until: chunk.start)
        if consumed == 0 { return false }
        rest = rest.dropFirst(consumed)
        keys += GrantKeyRow.rows(of: checker.grants, in: lines, from: chunk.start)
        checker.grants = []
        guard isSealed else { continue }
        found.append(Batch(state: checker.lastSeal.state, keys: keys))
        keys = []
      }
      return true
    }
    if noteDamage() { return }
    guard isWhole else {
      damage = "\(place): the chunk ends within a line"
      return
    }
    batches += found
  }

  private mutating func noteDamage() -> Bool {
    damage = damage ?? checker.damage.first.map { "\($0)" }
    return damage != nil
  }
}
