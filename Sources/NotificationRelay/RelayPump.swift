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
  private var buffer: [Record] = []
  private var isDelivering = false
  /// Why the last delivery failed; nil when it did not.
  public private(set) var failure: String?

  /// A pump from a ledger to a sink.
  public init(sink: FileSink, store: LedgerStore) {
    self.sink = sink
    self.store = store
  }

  /// Takes a committed batch and delivers it.
  public func take(_ records: [Record]) async {
    if buffer.count + records.count <= Self.bufferLimit { buffer += records } else { buffer = [] }
    await deliver()
  }

  /// Delivers everything that is committed and was not delivered.
  public func deliver() async {
    if isDelivering { return }
    isDelivering = true
    defer { isDelivering = false }
    do {
      while await sink.cursor.seq < store.head.seq {
        let (records, head) = try await next()
        try await sink.deliver(records, head: head)
        buffer.removeAll { $0.seq <= head.seq }
      }
      failure = nil
    } catch {
      failure = "\(error)"
    }
  }

  /// The records right after the cursor, up to a seal.
  private func next() async throws -> ([Record], LedgerHead) {
    let cursor = await sink.cursor
    let reader = store.reader
    // A seal stands between the cursor and the first record of the next batch, or the cursor is that seal.
    if let first = buffer.first?.seq, first <= cursor.seq + 1 {
      return (buffer.filter { $0.seq <= reader.head.seq }, reader.head)
    }
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
