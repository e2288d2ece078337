internal import CivilTime
internal import Foundations
internal import Ledger

/// Turns records into sealed batches, one after another. Not thread-safe: it belongs to the holder of the store's lock.
final class BatchWriter {
  private let log: SealedLog
  private let configuration: LedgerConfiguration
  private let clock: @Sendable () -> Instant
  private var encoder = RecordEncoder()
  private(set) var statistics = LedgerStatistics()
  // Kept between batches to reuse its memory.
  private var lines: [UInt8] = []

  init(
    log: SealedLog, configuration: LedgerConfiguration, clock: @escaping @Sendable () -> Instant
  ) {
    self.log = log
    self.configuration = configuration
    self.clock = clock
  }

  /// The last seal on disk and where it ends.
  struct End: Sendable {
    let head: LedgerHead
    let segment: SegmentFile
    let byte: Int
  }

  /// The last seal on disk.
  var end: End { End(head: log.state.head, segment: log.segment, byte: log.sizeBytes) }

  /// Commits records with these bodies under one seal.
  func append(_ bodies: [RecordBody]) throws(LedgerError) -> [Record] {
    // The clock's reading, but never earlier than the last line's time, unless that line is taken back.
    let next = log.state.seq + 1
    let undoes =
      bodies.first.map { Record(seq: next, at: log.state.at, body: $0).undone != nil } ?? false
    let present = clock().truncatedToMilliseconds
    let at = undoes ? present : max(present, log.state.at)
    let start = log.monotonicSeconds()
    let records = try encode(bodies, from: next, at: at)
    do throws(FileError) {
      _ = try log.commit(&lines, count: records.count, at: at, beginsSegment: undoes)
      statistics.commits += 1
      statistics.records += records.count
      statistics.syncSeconds = log.syncSeconds
      statistics.commitSeconds.observe(log.monotonicSeconds() - start)
      return records
    } catch {
      statistics.failures += 1
      // Removes the failed batch from the file; if this fails too, the next commit does it.
      try? log.recover()
      throw LedgerError(error)
    }
  }

  /// Reopens the end of the ledger after a failure, cutting off what the failed append left behind.
  func recover() throws(FileError) { try log.recover() }

  /// Closes the file.
  func close() { log.close() }

  /// Makes the records with these bodies, and their lines.
  private func encode(
    _ bodies: [RecordBody], from first: UInt64, at: Instant
  ) throws(LedgerError) -> [Record] {
    lines.removeAll(keepingCapacity: true)
    var records: [Record] = []
    records.reserveCapacity(bodies.count)
    do throws(RecordError) {
      for index in bodies.indices {
        let record = Record(seq: first + UInt64(index), at: at, body: bodies[index])
        try encoder.append(record, to: &lines)
        records.append(record)
      }
    } catch {
      throw Self.refusal(error.description)
    }
    if lines.count + SealBuilder.limitBytes > configuration.segmentLimitBytes {
      throw Self.refusal(
        "\(records.count) records at once are more than a segment holds "
          + "(\(configuration.segmentLimitBytes) bytes)")
    }
    return records
  }

  private static func refusal(_ cause: String) -> LedgerError {
    LedgerError(
      .refused, place: "ledger", cause: cause,
      remedy: "nothing was written; write fewer or shorter records")
  }
}
