package import Foundations
internal import Glibc
package import Ledger
import Scheduling

/// The end of a ledger on disk, with the lock that makes this process its only writer.
///
/// An append returns only after `fdatasync`: it blocks, and belongs on the writer's thread. A failed append leaves the ledger as
/// it was, unless its outcome cannot be determined. The store re-reads the end of the ledger by itself, and the next append may
/// be tried at once.
package final class LedgerStore: LedgerAppending {
  private struct State: Sendable {
    var status = LedgerStatus.ready
    var end: BatchWriter.End
    var statistics = LedgerStatistics()
    /// When the current append began, on the monotonic clock; nil if there is none.
    var appendingSince: Double?
  }

  /// What was found and done when the store was opened.
  package let report: OpeningReport
  let configuration: LedgerConfiguration
  let fileSystem: any FileSystem
  /// Held while a batch is written; only other appends, a probe and the close wait for it.
  private let writing: Lock<BatchWriter>
  /// State that others may read meanwhile.
  private let state: Lock<State>
  private let lock: Lock<WriterLock?>
  private let known: LedgerReader.KnownSeal?
  private let onCommit: @Sendable ([Record], LedgerHead) -> Void
  private let monotonicSeconds: @Sendable () -> Double

  init(
    writer: sending BatchWriter, report: OpeningReport, configuration: LedgerConfiguration,
    fileSystem: any FileSystem, lock: WriterLock, known: LedgerReader.KnownSeal?,
    monotonicSeconds: @escaping @Sendable () -> Double,
    onCommit: @escaping @Sendable ([Record], LedgerHead) -> Void
  ) {
    self.monotonicSeconds = monotonicSeconds
    self.onCommit = onCommit
    self.known = known
    self.report = report
    self.configuration = configuration
    self.fileSystem = SegmentFileSystem(fileSystem)
    self.lock = Lock(lock)
    state = Lock(State(end: writer.end))
    writing = Lock(writer)
  }

  /// Whether appends reach the disk, and if not, why.
  package var status: LedgerStatus { state.withLock { $0.status } }
  /// How many seconds the current append has been waiting for the disk; nil if there is none.
  package var appendingSeconds: Double? {
    state.withLock { $0.appendingSince }.map { monotonicSeconds() - $0 }
  }
  /// Whether another process has become the writer: nothing more can be appended, and only a restart helps.
  package var isLost: Bool {
    if case .failing(let error) = status, case .inputOutput(let file) = error.kind, file.isStale {
      return true
    }
    return lock.withLock { $0?.isLost ?? false }
  }
  /// Why this process may soon lose the lock: renewing it fails; nil while all is well.
  package var lockDoubt: String? { lock.withLock { $0?.doubt } }
  /// Calls `body` once, on another thread, when another process has become the writer.
  package func whenLost(_ body: @escaping @Sendable () -> Void) {
    lock.withLock { $0 }?.whenLost(body)
  }
  /// Whether the last append, or a later probe, reached the disk.
  package var isReady: Bool { status == .ready }
  /// The last seal on disk.
  package var head: LedgerHead { state.withLock { $0.end.head } }
  /// What the store has done since it was opened.
  package var statistics: LedgerStatistics { state.withLock { $0.statistics } }

  /// Appends a batch, as ``Scheduling/LedgerAppending/append(_:)`` requires; throws ``LedgerError``. Blocks.
  package func append(_ bodies: [RecordBody]) throws -> [Record] {
    if bodies.isEmpty { return [] }
    return try writing.withLock { writer in
      if status == .closed {
        throw LedgerError(
          .closed, place: configuration.directory.ledger, cause: "the ledger was closed",
          remedy: "try again once the service runs")
      }
      state.withLock { $0.appendingSince = monotonicSeconds() }
      let result = Result { () throws(LedgerError) in
        try requireLock()
        return try writer.append(bodies)
      }
      let (end, statistics) = (writer.end, writer.statistics)
      state.withLock { state in
        state.appendingSince = nil
        state.statistics = statistics
        state.end = end
        switch result {
        case .success: state.status = .ready
        // A refused record says nothing about the disk.
        case .failure(let error): if error.kind != .refused { state.status = .failing(error) }
        }
      }
      let records = try result.get()
      // Callers may read the head at once: it must be the new one by then.
      onCommit(records, end.head)
      return records
    }
  }

  /// Throws if another process may have become the writer.
  private func requireLock() throws(LedgerError) {
    guard lock.withLock({ $0?.isLost ?? false }) else { return }
    throw LedgerError(
      FileError(
        operation: "append: this process no longer holds the lock",
        path: configuration.directory.lock, code: ESTALE))
  }

  /// Checks after a failure whether the disk accepts writes again, so that ``status`` need not wait for an append.
  ///
  /// Writes and syncs a scratch file in `state` and reads the end of the ledger again. Blocks.
  package func probe() {
    guard case .failing = status else { return }
    let scratch = "\(configuration.directory.state)/probe"
    writing.withLock { writer in
      do {
        try requireLock()
        let bytes = [UInt8](repeating: 0, count: Self.probeBytes)
        try fileSystem.createDurably(scratch, in: configuration.directory.state, [bytes])
        try fileSystem.remove(scratch)
        try writer.recover()
      } catch {
        try? fileSystem.remove(scratch)
        // The status stays as it was, unless the failure is permanent.
        if let error = error as? FileError, error.isStale {
          state.withLock { $0.status = .failing(LedgerError(error)) }
        }
        return
      }
      state.withLock { if case .failing = $0.status { $0.status = .ready } }
    }
  }

  /// More than a usual batch has.
  private static let probeBytes = 256 << 10

  /// Finishes the current batch, refuses later ones, and releases the files and the lock. Blocks.
  package func close() {
    writing.withLock { writer in
      state.withLock { $0.status = .closed }
      writer.close()
    }
    lock.withLock { $0 = nil }
  }

  /// A reader of all lines up to ``head``.
  package var reader: LedgerReader {
    let end = state.withLock { $0.end }
    return LedgerReader(
      ledger: report.ledger, head: end.head, folder: configuration.directory.ledger,
      fileSystem: fileSystem, lastSegment: end.segment, endByte: end.byte, known: known,
      indexes: SegmentIndexes(configuration.directory, fileSystem), snapshots: snapshots)
  }
}

/// Whether a store accepts appends.
package enum LedgerStatus: Equatable, Sendable {
  /// The last append, or a later probe, reached the disk.
  case ready
  /// The last append failed; the next one retries by itself.
  case failing(LedgerError)
  /// Closed for good.
  case closed
}

/// Counts and timings of a store since it was opened, for metrics.
package struct LedgerStatistics: Equatable, Sendable {
  /// Batches that reached the disk.
  package internal(set) var commits = 0
  /// Their records, not counting seals.
  package internal(set) var records = 0
  /// Batches that failed.
  package internal(set) var failures = 0
  /// How long the successful `fdatasync` calls took, in seconds.
  package internal(set) var syncSeconds = Histogram()
  /// How long batches took to reach the disk, encoding included, in seconds.
  package internal(set) var commitSeconds = Histogram()
}
