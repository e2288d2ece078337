import Ledger
public import LedgerStore
import Threading

/// Brings committed records to a sink: pulls them from the ledger, behind a cursor, whenever the head has advanced.
///
/// A sink that fails is tried again with the next commit, or when ``deliver()`` is called; it delays nobody else.
public actor RelayPump {
  /// Records per delivery.
  private static let portion = 5_000

  private let sink: FileSink
  private let store: LedgerStore
  private let thread = BlockingThread(named: "rewards.relay")
  private var delivery: Task<Void, Never>?
  private var isFinishing = false
  /// Why the last delivery failed; nil when it did not.
  public private(set) var failure: String?
  private let advances: AsyncStream<Void>
  private let advanced: AsyncStream<Void>.Continuation

  /// A pump from a ledger to a sink.
  public init(sink: FileSink, store: LedgerStore) {
    self.sink = sink
    self.store = store
    (advances, advanced) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Tells the pump that the head has advanced; costs nothing and returns at once.
  public nonisolated func noteCommit() { advanced.yield() }

  /// Delivers what is committed, now and whenever the head advances, until ``finish()``.
  public func run() async {
    await deliver()
    for await _ in advances { await deliver() }
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
    advanced.finish()
  }

  private func deliverAll() async {
    defer { delivery = nil }
    do {
      while let (records, head) = try await next() {
        try await sink.deliver(records, head: head)
        if isFinishing { break }
      }
      failure = nil
    } catch {
      failure = "\(error)"
    }
  }

  /// The records right after the cursor, up to a seal; nil when there are none.
  private func next() async throws -> ([Record], LedgerHead)? {
    let cursor = await sink.cursor
    let reader = store.reader
    guard cursor.seq < reader.head.seq else { return nil }
    return try await thread.run {
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
