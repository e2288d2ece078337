internal import CivilTime
internal import Ledger

/// Turns requests into sealed batches, one after another; belongs to the store's writer thread.
final class CommitLoop {
  private let log: SealedLog
  private let configuration: LedgerConfiguration
  private let clock: @Sendable () -> Instant
  private let onCommit: @Sendable ([Record], LedgerHead) -> Void
  private var encoder = RecordEncoder()
  private(set) var statistics = LedgerStatistics()
  // Kept between batches: its memory is used again.
  private var lines: [UInt8] = []

  init(
    log: SealedLog, configuration: LedgerConfiguration, clock: @escaping @Sendable () -> Instant,
    onCommit: @escaping @Sendable ([Record], LedgerHead) -> Void
  ) {
    self.log = log
    self.configuration = configuration
    self.clock = clock
    self.onCommit = onCommit
  }

  /// The last seal on the disk and where it ends.
  struct End: Sendable {
    let head: LedgerHead
    let segment: SegmentFile
    let byte: Int
  }

  /// The last seal on the disk.
  var end: End { End(head: log.state.head, segment: log.segment, byte: log.sizeBytes) }

  /// A request whose lines are made and wait for the seal.
  private struct Prepared {
    let request: AppendRequest
    let records: [Record]
  }

  /// Commits `requests` in order, in as few batches as fit; tells each batch's fate to `publish`, then to the callers.
  func run(_ requests: [AppendRequest], publish: (Result<End, LedgerError>) -> Void) {
    var waiting = requests[...]
    while !waiting.isEmpty {
      commit(prepare(&waiting), publish)
    }
  }

  /// Writes the record that begins a ledger.
  func begin(_ body: RecordBody) throws(LedgerError) {
    let encoded = try EncodedBodies([body], limitBytes: configuration.segmentLimitBytes)
    let at = nextInstant()
    lines.removeAll(keepingCapacity: true)
    encoded.append(after: 0, at: at, to: &lines, &encoder)
    do throws(FileError) {
      _ = try log.commit(&lines, count: 1, at: at)
    } catch {
      throw LedgerError(error)
    }
  }

  /// Opens the end of the ledger again after a failure, cutting off what that left behind.
  func recover() throws(FileError) { try log.recover() }

  /// Gives the file back.
  func close() { log.close() }

  /// Takes requests from the front of `waiting` until the batch is full, at least one, and makes their lines.
  private func prepare(_ waiting: inout ArraySlice<AppendRequest>) -> [Prepared] {
    lines.removeAll(keepingCapacity: true)
    let at = nextInstant()
    var seq = log.state.seq
    var prepared: [Prepared] = []
    while let request = waiting.first {
      if !prepared.isEmpty, lines.count + request.encoded.sizeBytes > batchLimitBytes { break }
      request.encoded.append(after: seq, at: at, to: &lines, &encoder)
      let records = request.bodies.enumerated().map { index, body in
        Record(seq: seq + UInt64(index) + 1, at: at, body: body)
      }
      prepared.append(Prepared(request: request, records: records))
      seq += UInt64(records.count)
      waiting.removeFirst()
    }
    return prepared
  }

  private func commit(
    _ prepared: [Prepared], _ publish: (Result<End, LedgerError>) -> Void
  ) {
    let records = prepared.count == 1 ? prepared[0].records : prepared.flatMap(\.records)
    do throws(FileError) {
      let head = try log.commit(&lines, count: records.count, at: records[0].at)
      statistics.commits += 1
      statistics.records += records.count
      statistics.syncSeconds = log.syncSeconds
      onCommit(records, head)
      publish(.success(end))
      for item in prepared { item.request.reply.resume(returning: item.records) }
    } catch {
      let failure = LedgerError(error)
      statistics.failures += 1
      // Nobody should find the failed batch in the file; when this fails too, the next commit does it.
      try? log.recover()
      publish(.failure(failure))
      for item in prepared { item.request.reply.resume(throwing: failure) }
    }
  }

  /// The limit for a batch of several requests: never more than a segment.
  private var batchLimitBytes: Int {
    min(configuration.batchLimitBytes, configuration.segmentLimitBytes) - SealBuilder.limitBytes
  }

  /// The clock's reading, but never before the last line's.
  private func nextInstant() -> Instant { max(clock().truncatedToMilliseconds, log.state.at) }
}
