import Ledger

/// Committed batches that a sink has not been served yet, in order, as far as they are worth keeping in memory.
///
/// Batches may come in any order: each commit tells of itself by a task of its own. Only a run of batches without a gap
/// may be delivered with the head of its last one; whatever else there is, the ledger has.
struct RelayBuffer: Sendable {
  /// A batch as it was committed: its records, and the seal after them.
  private struct Batch: Sendable {
    let records: [Record]
    let head: LedgerHead
    var firstSeq: UInt64 { records.first?.seq ?? head.seq }
  }

  private let limit: Int
  private var batches: [Batch] = []
  private var count = 0

  /// A buffer for `limit` records at most.
  init(limit: Int) { self.limit = limit }

  /// Whether nothing waits here.
  var isEmpty: Bool { batches.isEmpty }

  /// Keeps a batch; when there is no room, forgets all instead.
  mutating func add(_ records: [Record], head: LedgerHead) {
    guard count + records.count <= limit else {
      batches = []
      count = 0
      return
    }
    let batch = Batch(records: records, head: head)
    let place = batches.lastIndex { $0.head.seq < head.seq }.map { $0 + 1 } ?? 0
    batches.insert(batch, at: place)
    count += records.count
  }

  /// Forgets what ends at or before `seq`.
  mutating func remove(through seq: UInt64) {
    batches.removeAll { $0.head.seq <= seq }
    count = batches.reduce(0) { $0 + $1.records.count }
  }

  /// The batches that follow right after `seq` without a gap, as one; nil when the next one is not here.
  func run(after seq: UInt64) -> (records: [Record], head: LedgerHead)? {
    var records: [Record] = []
    var head: LedgerHead?
    for batch in batches where batch.firstSeq > seq {
      guard batch.firstSeq == (head?.seq ?? seq) + 1 else { break }
      records += batch.records
      head = batch.head
    }
    return head.map { (records, $0) }
  }
}
