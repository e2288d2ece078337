internal import Ledger

/// A walk along a shard's chain from its beginning, batch by batch.
struct ChainWalk: ~Copyable {
  /// A batch that one seal commits.
  struct Batch {
    /// The chain's state after the seal.
    let state: ChainState
    /// The keys of the batch's grants, in order.
    let keys: [GrantKeyRow]
  }

  private let rows: ShardRows
  /// The chain's state after the last batch.
  private(set) var state = ChainState.origin
  /// Why the walk ended before the chain's end; nil otherwise.
  private(set) var damage: String?
  private var segment = Int64.min
  /// The start of the last chunk read.
  private var lastRead: (segment: Int64, start: Int64) = (.min, .max)
  private var checker = ChainChecker(segment: "", after: .origin, byte: 0)
  /// Chunks read, and the batches found in them, in order.
  private var chunks: ArraySlice<ShardRows.Chunk> = []
  private var batches: ArraySlice<Batch> = []
  /// The keys since the last seal.
  private var keys: [GrantKeyRow] = []

  init(_ rows: ShardRows) { self.rows = rows }

  /// Returns the next batch; nil at the chain's end, or where it is damaged.
  mutating func next() throws(DatabaseError) -> Batch? {
    while batches.isEmpty, damage == nil {
      guard let chunk = try nextChunk() else { return nil }
      walk(over: chunk)
    }
    guard let batch = batches.popFirst() else { return nil }
    state = batch.state
    return batch
  }

  /// Records damage if whatever comes after the last batch cannot follow it.
  mutating func checkNext() throws(DatabaseError) {
    guard batches.isEmpty, keys.isEmpty, let next = try nextChunk() else { return }
    damage = misfit(of: next)
  }

  /// Returns why a chunk cannot follow the walked part; nil if it can.
  private func misfit(of chunk: ShardRows.Chunk) -> String? {
    let end = chunk.segment == segment ? checker.byte : 0
    if Int(chunk.start) != end {
      return "\(Self.place(chunk)): the chunk before it ends at byte \(end)"
    }
    let seq = checker.state.storedSeq + 1
    return chunk.first == seq
      ? nil
      : "\(Self.place(chunk)): the row gives its first line as \(chunk.first), but it is \(seq)"
  }

  private mutating func nextChunk() throws(DatabaseError) -> ShardRows.Chunk? {
    if chunks.isEmpty {
      chunks = try rows.chunks(after: lastRead.segment, lastRead.start)[...]
      if let last = chunks.last { lastRead = (last.segment, last.start) }
    }
    return chunks.popFirst()
  }

  private static func place(_ chunk: ShardRows.Chunk) -> String {
    "segment \(chunk.segment), byte \(chunk.start)"
  }

  private mutating func walk(over chunk: ShardRows.Chunk) {
    damage = misfit(of: chunk)
    if damage != nil { return }
    if chunk.segment != segment {
      checker.finish(rest: 0, isLastSegment: false)
      if noteDamage() { return }
      segment = chunk.segment
      checker = ChainChecker(
        segment: "segment \(segment)", after: checker.lastSeal.state, byte: 0)
    }
    let place = Self.place(chunk)
    guard let bytes = chunk.bytes, !bytes.isEmpty else {
      damage = "\(place): the chunk is empty or cannot be unpacked"
      return
    }
    var found: [Batch] = []
    let isWhole = bytes.withUnsafeBufferPointer { lines in
      var rest = lines[...]
      while !rest.isEmpty {
        let (consumed, isSealed) = checker.feed(
          UnsafeBufferPointer(rebasing: rest), until: Int(chunk.start))
        if consumed == 0 { return false }
        rest = rest.dropFirst(consumed)
        keys += GrantKeyRow.rows(of: checker.grants, in: lines, from: Int(chunk.start))
        checker.grants = []
        guard isSealed else { continue }
        found.append(Batch(state: checker.lastSeal.state, keys: keys))
        keys = []
      }
      return true
    }
    if noteDamage() { return }
    guard isWhole, chunk.last == checker.state.storedSeq else {
      damage =
        "\(place): the chunk ends after line \(checker.state.seq), but the row says \(chunk.last)"
      return
    }
    batches += found
  }

  private mutating func noteDamage() -> Bool {
    damage = damage ?? checker.damage.first.map { "\($0)" }
    return damage != nil
  }
}
