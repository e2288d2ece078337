internal import Dispatch
public import Ledger
public import Scheduling
internal import Threading

/// The one writer of a ledger on disk: a thread of its own that commits many callers' records under one seal.
///
/// An append returns only after `fdatasync`. A failed append leaves the ledger as it was before; the store reads the
/// end of the ledger again by itself, and the next append may be tried at once. Safe to use from any task.
public final class LedgerStore: LedgerAppending, @unchecked Sendable {
  private struct State {
    var requests: [AppendRequest] = []
    var isDraining = false
    var status = LedgerStatus.ready
    var end: CommitLoop.End
    var statistics = LedgerStatistics()

    mutating func note(
      _ result: Result<CommitLoop.End, LedgerError>, _ statistics: LedgerStatistics
    ) {
      self.statistics = statistics
      if case .success(let end) = result { self.end = end }
      guard status != .closed else { return }
      switch result {
      case .success: status = .ready
      case .failure(let error): status = .failing(error)
      }
    }
  }

  /// What was found and done when the store was opened.
  public let report: OpeningReport
  let configuration: LedgerConfiguration
  let fileSystem: any FileSystem
  private let state: Lock<State>
  private let writer = DispatchQueue(label: "ledger writer")
  // Touched on `writer` only: this is what makes the class safe to share.
  private let loop: CommitLoop
  private let lock: Lock<WriterLock?>
  private let known: LedgerReader.KnownSeal?

  init(
    loop: CommitLoop, report: OpeningReport, configuration: LedgerConfiguration,
    fileSystem: any FileSystem, lock: WriterLock, known: LedgerReader.KnownSeal?
  ) {
    self.loop = loop
    self.known = known
    self.report = report
    self.configuration = configuration
    self.fileSystem = SegmentFileSystem(fileSystem)
    self.lock = Lock(lock)
    state = Lock(State(end: loop.end))
  }

  /// Whether appends reach the disk; why not, after a failure.
  public var status: LedgerStatus { state.withLock { $0.status } }

  /// The last seal that is on the disk.
  public var head: LedgerHead { state.withLock { $0.end.head } }

  /// What was done since the store was opened.
  public var statistics: LedgerStatistics { state.withLock { $0.statistics } }

  /// See ``Scheduling/LedgerAppending/append(_:)``; throws ``LedgerError``.
  public func append(_ bodies: [RecordBody]) async throws -> [Record] {
    if bodies.isEmpty { return [] }
    let encoded = try EncodedBodies(bodies, limitBytes: configuration.segmentLimitBytes)
    return try await withCheckedThrowingContinuation { reply in
      enqueue(AppendRequest(bodies: bodies, encoded: encoded, reply: reply))
    }
  }

  /// After a failure: finds out whether the disk takes writes again, so that ``status`` need not wait for an append.
  ///
  /// Writes and syncs a scratch file in `state` and reads the end of the ledger again. Blocks.
  public func probe() {
    guard case .failing = status else { return }
    let scratch = "\(configuration.directory.state)/probe"
    writer.sync {
      do {
        let bytes = [UInt8](repeating: 0, count: Self.probeBytes)
        try fileSystem.createDurably(scratch, in: configuration.directory.state, [bytes])
        try fileSystem.remove(scratch)
        try loop.recover()
      } catch {
        // As before.
        try? fileSystem.remove(scratch)
        return
      }
      state.withLock { if case .failing = $0.status { $0.status = .ready } }
    }
  }

  /// More than a usual batch has.
  private static let probeBytes = 256 << 10

  /// Commits what is queued, refuses what comes later, and gives the files and the lock back. Blocks.
  public func close() {
    state.withLock { $0.status = .closed }
    writer.sync { loop.close() }
    lock.withLock { $0 = nil }
  }

  /// A reader of everything up to ``head``.
  public var reader: LedgerReader {
    let end = state.withLock { $0.end }
    return LedgerReader(
      ledger: report.ledger, head: end.head, folder: configuration.directory.ledger,
      fileSystem: fileSystem, lastSegment: end.segment, endByte: end.byte, known: known)
  }

  private func enqueue(_ request: AppendRequest) {
    let isOpen = state.withLock { state in
      guard state.status != .closed else { return false }
      state.requests.append(request)
      if !state.isDraining {
        state.isDraining = true
        writer.async { self.drain() }
      }
      return true
    }
    if !isOpen {
      request.reply.resume(
        throwing: LedgerError(
          .closed, place: configuration.directory.ledger, cause: "the ledger was closed",
          remedy: "try again when the service runs"))
    }
  }

  private func drain() {
    while true {
      let requests = state.withLock { state in
        let requests = state.requests
        state.requests = []
        if requests.isEmpty { state.isDraining = false }
        return requests
      }
      if requests.isEmpty { return }
      loop.run(requests) { result in
        state.withLock { $0.note(result, loop.statistics) }
      }
    }
  }
}
