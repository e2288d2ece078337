internal import Foundations
internal import Glibc
internal import Ledger

/// A shard's chain of sealed lines: appended to under the lease, readable by anyone.
///
/// An append returns once its transaction is known to be committed. If the answer is lost, the lease is taken again. That raises
/// the token, so that the transaction can no longer commit later, and shows the head, which reveals the outcome. Blocks.
final class ShardChain: Sendable {
  private struct State: Sendable {
    /// The head that the next append builds on; nil until it is read.
    var head: ShardHead?
    /// An append whose outcome is unknown.
    var pending: Pending?
  }

  private struct Pending: Sendable {
    let old: ShardHead
    let batch: ShardBatch
  }

  private let writer: ShardWriter
  private let state = Lock(State())
  private let time: WorkerTime
  /// How long an append tries to find out its outcome.
  private static let resolvingSeconds = 60.0

  init(
    _ writer: ShardWriter, time: WorkerTime
  ) {
    (self.writer, self.time) = (writer, time)
  }

  private var shard: Int64 { writer.shard }
  private var rows: ShardRows { ShardRows(shard: writer.shard, pool: writer.pool) }

  /// Forgets the known head, which others may have moved before the lease was taken.
  func reset() { state.withLock { $0 = State() } }

  /// Appends whole batches at a segment's end; on return they are committed.
  func append(
    _ bytes: [UInt8], to segment: UInt64, at start: Int, path: String
  ) throws(FileError) {
    try settle(path)
    let head = try currentHead(path)
    let batch = try ShardBatch(bytes, after: head, segment: segment, start: start, path: path)
    switch extend(from: head, by: batch) {
    case .committed: state.withLock { $0.head = batch.head }
    case .fenced: throw fenced(at: head, path)
    case .refused(let error): throw FileError(error, "append", path: path)
    case .unknown:
      state.withLock { $0.pending = Pending(old: head, batch: batch) }
      try settle(path, sendingAgain: true)
      guard state.withLock({ $0.head?.state == batch.head.state }) else {
        if writer.token == nil { throw .leaseLost(path: path) }
        if let now = state.withLock({ $0.head }), now.state != head.state {
          throw lost(head, now, path)
        }
        throw FileError(operation: "append: it was not committed", path: path, code: EAGAIN)
      }
    }
  }

  /// Returns why the shard's row refused an append at `head`: the lease has another holder, or the head differs under this lease.
  private func fenced(at head: ShardHead, _ path: String) -> FileError {
    guard let row = try? rows.head(), row.token == writer.token,
      row.head.state != head.state
    else { return .leaseLost(path: path) }
    writer.giveUp()
    return lost(head, row.head, path)
  }

  private func lost(_ known: ShardHead, _ found: ShardHead, _ path: String) -> FileError {
    FileError(
      operation:
        "append after \(known.state.head): under the same lease the database's head is \(found.state.head): it lost "
        + "committed lines, as after a failover to a standby that lagged behind, or somebody changed it",
      path: path,
      code: EUCLEAN)
  }

  /// Finds out the outcome of an append whose answer was lost, if there is one.
  ///
  /// The append itself tries for a while and, if `sendingAgain`, repeats it. Later callers ask only once, so that none waits for
  /// a database that does not answer.
  func settle(_ path: String, sendingAgain: Bool = false) throws(FileError) {
    guard let pending = state.withLock({ $0.pending }) else { return }
    let end = time.now() + (sendingAgain ? Self.resolvingSeconds : 0)
    while true {
      do throws(DatabaseError) {
        if let head = try fate(of: pending, sendingAgain: sendingAgain) {
          state.withLock { $0 = State(head: head) }
          return
        }
      } catch {
        guard time.now() < end else {
          throw FileError(
            error, "find out whether the last append was committed",
            path: path)
        }
      }
      time.pause(0.2)
    }
  }

  /// Returns the current head, once the append is known to be committed or can no longer commit; nil if this must be tried again.
  private func fate(
    of pending: Pending, sendingAgain: Bool
  ) throws(DatabaseError) -> ShardHead? {
    // 1. Taking the lease again reveals the outcome; if it is lost, the seal does.
    guard let head = try writer.raiseToken() else {
      return try rows.holds(pending.batch.head) ? pending.batch.head : pending.old
    }
    guard sendingAgain, head.state == pending.old.state else { return head }
    // 2. It was not committed, and no longer can be: send the same bytes under the new token.
    switch extend(from: head, by: pending.batch) {
    case .committed: return pending.batch.head
    case .refused(let error) where !error.isDisconnection && !error.wantsAnotherTry: return head
    case .unknown(let error), .refused(let error): throw error
    case .fenced: return nil
    }
  }

  private func extend(from head: ShardHead, by batch: ShardBatch) -> ShardWriter.Outcome {
    writer.extend(from: head, to: batch.head) { token in
      batch.statements(shard: shard, token: token)
    }
  }

  private func currentHead(_ path: String) throws(FileError) -> ShardHead {
    if let head = state.withLock({ $0.head }) { return head }
    guard let head = try query(path, { rows throws(DatabaseError) in try rows.head() })?.head else {
      throw FileError(operation: "read the head of shard \(shard)", path: path, code: EIO)
    }
    state.withLock { $0.head = head }
    return head
  }

  // MARK: Reading

  /// Returns the first sequence numbers of the segments, in order.
  func segments(_ path: String) throws(FileError) -> [UInt64] {
    try query(path) { rows throws(DatabaseError) in try rows.segments() }
  }

  /// Returns the length of a segment; nil if there is none.
  func size(of segment: UInt64, _ path: String) throws(FileError) -> Int? {
    try query(path) { rows throws(DatabaseError) in try rows.size(of: segment) }
  }

  /// Returns about `count` bytes of a segment from `offset` on, or those of one chunk; none at the end.
  func read(
    _ segment: UInt64, at offset: Int, count: Int, _ path: String
  ) throws(FileError) -> ArraySlice<UInt8> {
    let pieces = try query(path) { rows throws(DatabaseError) in
      try rows.chunks(of: segment, at: offset, count: count)
    }
    guard let first = pieces.first else { return [] }
    var bytes: [UInt8] = []
    for piece in pieces {
      guard first.start <= offset, piece.start == first.start + Int64(bytes.count),
        let unpacked = piece.bytes
      else {
        throw FileError(
          operation: "read the chunk of shard \(shard) at byte \(piece.start) (missing or damaged)",
          path: path, code: EBADMSG)
      }
      bytes += unpacked
    }
    return bytes.dropFirst(offset - Int(first.start))
  }

  private func query<Result>(
    _ path: String, _ body: (ShardRows) throws(DatabaseError) -> Result
  ) throws(FileError) -> Result {
    do throws(DatabaseError) {
      return try body(rows)
    } catch {
      throw FileError(error, "read", path: path)
    }
  }
}
