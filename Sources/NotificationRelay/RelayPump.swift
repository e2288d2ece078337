public import Ledger
public import LedgerStore
import Threading

/// Brings committed records to a sink: from memory while it keeps up, from the ledger when it has fallen behind.
///
/// A sink that fails is tried again with the next commit, or when ``deliver()`` is called; it delays nobody else.
public actor RelayPump {
  /// Records kept in memory for a sink that is slow; beyond that they are read from the ledger again.
  private static let bufferLimit = 50_000
  /// Records per delivery when reading from the ledger.
  private static let portion = 5_000

  private let sink: FileSink
  private let store: LedgerStore
  private var buffer = RelayBuffer(limit: bufferLimit)
  private var delivery: Task<Void, Never>?
  private var isFinishing = false
  /// Why the last delivery failed; nil when it did not.
  public private(set) var failure: String?

  /// A pump from a ledger to a sink.
  public init(sink: FileSink, store: LedgerStore) {
    self.sink = sink
    self.store = store
  }

  /// Takes a committed batch and its seal, and delivers it. Batches may be handed in in any order.
  public func take(_ records: [Record], head: LedgerHead) async {
    buffer.add(records, head: head)
    // A delivery under way looks at the buffer again before it ends.
    if delivery == nil { await deliver() }
  }

  /// Delivers everything that was committed before the call and was not delivered; returns when that is done, or has
  /// failed.
  public func deliver() async {
    // One under way may have failed, or begun before the last commit.
    while let delivery { await delivery.value }
    let delivery = Task { await deliverAll() }
    self.delivery = delivery
    await delivery.value
  }

  /// Delivers what is at hand and ends; of a backlog only one more portion: the rest waits for the next start.
  public func finish() async {
    isFinishing = true
    await deliver()
  }

  private func deliverAll() async {
    defer { delivery = nil }
    do {
      while let (records, head) = try await next() {
        try await sink.deliver(records, head: head)
        buffer.remove(through: head.seq)
        if isFinishing, buffer.isEmpty { break }
      }
      failure = nil
    } catch {
      failure = "\(error)"
    }
  }

  /// The records right after the cursor, up to a seal; nil when there are none.
  private func next() async throws -> ([Record], LedgerHead)? {
    let cursor = await sink.cursor
    buffer.remove(through: cursor.seq)
    if let run = buffer.run(after: cursor.seq) { return run }
    let reader = store.reader
    guard cursor.seq < reader.head.seq else { return nil }
    return try await BlockingThread(named: "rewards.relay").run {
      var records: [Record] = []
      var head: LedgerHead?
      do {
        try reader.readRecords(after: cursor.seq) { record in
          if case .seal(let seal) = record.body {
            head = LedgerHead(seq: record.seq, hash: seal.hash)
            if records.count >= Self.portion { throw EnoughRead() }
          } else {
            records.append(record)
          }
        }
      } catch is EnoughRead {}
      return (records, head ?? reader.head)
    }
  }

  private struct EnoughRead: Error {}
}
