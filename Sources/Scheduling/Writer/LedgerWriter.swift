package import CivilTime
package import Engine
internal import Foundations
package import Ledger

/// Serialises every change to a ledger. Changes queue here and are appended on one thread. A brief request that
/// appends nothing runs on the caller's thread if the writer is idle.
///
/// Queued changes about different users share one append, and so one disk sync; this is the only place that decides
/// that. A change composes records from the state, the records are appended, and only then does the state apply them.
/// If the append fails, the state stays as it was, and the polls of that change count as not made.
package final class LedgerWriter: @unchecked Sendable {
  /// The users that a change concerns. Changes about different users may share an append.
  package enum Scope: Sendable {
    /// These accounts, by index.
    case users([Int])
    /// Everything; the change shares its append with no other.
    case all
  }

  /// What a change would append, and what its caller receives once it is on disk.
  package struct Proposal<Result> {
    let drafts: [Draft]
    let finish: (inout WorkingState, ArraySlice<Record>) -> Result

    /// Creates a proposal; `finish` receives the appended records.
    package init(
      _ drafts: [Draft], finish: @escaping (inout WorkingState, ArraySlice<Record>) -> Result
    ) {
      self.drafts = drafts
      self.finish = finish
    }
  }

  private struct Queue {
    var waiting: [WriterRequest] = []
    var isDraining = false
  }

  private let queue = Lock(Queue())
  private let thread = BlockingThread(named: "rewards.writer")
  private let ledger: any LedgerAppending
  // Only the thread draining the queue touches it, one at a time, which makes the class safe to share.
  private var state: WorkingState
  /// The most records that share an append, unless they all belong to one change.
  private static let batchLimit = 20_000

  /// Creates a writer over a state that agrees with `ledger`.
  package init(_ state: WorkingState, ledger: any LedgerAppending) {
    self.state = state
    self.ledger = ledger
  }

  /// Reads the state after every change requested before. `body` must be brief and read only a few users, because an
  /// idle writer runs it on the caller's thread. Throws what `body` throws.
  package func read<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (inout WorkingState) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await look(isBrief: true, body)
  }

  /// Reads the state like ``read(_:)``, for work that takes longer, e.g. over all users. Always runs on the writer's
  /// thread.
  package func scan<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (inout WorkingState) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await look(isBrief: false, body)
  }

  private func look<Result: Sendable, Failure: Error>(
    isBrief: Bool, _ body: @escaping @Sendable (inout WorkingState) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let result = await withCheckedContinuation {
      (reply: CheckedContinuation<Swift.Result<Result, Failure>, Never>) in
      enqueue(
        WriterRequest(
          scope: .users([]), mayBeBrief: isBrief,
          compose: { _ in
            Proposal([]) { state, _ in
              reply.resume(
                returning: Swift.Result { () throws(Failure) in try body(&state) })
            }
          },
          // Whatever happens to the changes beside it, the state can be read.
          fail: nil))
    }
    return try result.get()
  }

  /// Makes a change; `compose` returns what to append. Throws what `compose` throws, or why nothing could be appended.
  package func change<Result: Sendable>(
    _ scope: Scope,
    _ compose: @escaping @Sendable (inout WorkingState) throws -> Proposal<Result>
  ) async throws -> Result {
    try await perform { reply in
      WriterRequest(scope: scope) { state in
        do {
          let proposal = try compose(&state)
          return Proposal(proposal.drafts) { state, records in
            reply.resume(returning: proposal.finish(&state, records))
          }
        } catch {
          reply.resume(throwing: error)
          return nil
        }
      } fail: {
        reply.resume(throwing: $0)
      }
    }
  }

  /// Makes a change of several appends, with no other change between them.
  package func alone<Result: Sendable>(
    _ body: @escaping @Sendable (inout WorkingState, Appending) throws -> Result
  ) async throws -> Result {
    try await perform { reply in
      WriterRequest(
        scope: .all,
        alone: { state, log in reply.resume(with: Swift.Result { try body(&state, log) }) })
    }
  }

  /// The end of the ledger, for a change that has it to itself.
  package struct Appending {
    let ledger: any LedgerAppending

    /// The last committed record.
    package var head: LedgerHead { ledger.head }

    /// Appends one draft per user and applies the records to the state.
    package func commit(_ drafts: [Draft], _ state: inout WorkingState) throws -> [Record] {
      let bodies = drafts.resolved(from: ledger.head.seq + 1)
      if bodies.isEmpty { return [] }
      let records = try ledger.append(bodies)
      state.apply(records)
      return records
    }
  }

  /// Records a person's act, an outage, a pardon or a run; returns its line.
  @discardableResult
  package func append(_ body: RecordBody) async throws -> UInt64 {
    try await change(.all) { _ in
      Proposal([Draft([body])]) { _, records in records.first?.seq ?? 0 }
    }
  }

  /// Records a job's fire unless the ledger already holds it, because a manual run and the service may handle the same
  /// fire.
  package func appendOnce(_ run: RunRecord) async throws {
    try await change(.all) { state in
      Proposal(state.ledger.jobs.holds(run) ? [] : [Draft([.run(run)])]) { _, _ in }
    }
  }

  /// Records that a job is in force from now on at those of its `positions` where it is new or changed. Records
  /// nothing where the zone cannot be read.
  package func appendBeginnings(of job: Job, at positions: [JobPosition], _ zones: any ZoneSource)
    async throws
  {
    let begun = positions.filter { $0.isNew && (try? zones.zone(named: $0.zone)) != nil }
    if begun.isEmpty { return }
    try await change(.all) { state in
      // Another reader may have recorded it first.
      let left = state.ledger.positions(of: job).filter { place in
        place.isNew && begun.contains { $0.zone == place.zone }
      }
      return Proposal(left.isEmpty ? [] : [Draft(left.map { .operator($0.beginning(of: job)) })]) {
        _, _ in
      }
    }
  }

  /// Returns a job's position in each of its zones, by zone name.
  package func positions(of job: Job) async -> [JobPosition] {
    await read { $0.ledger.positions(of: job) }
  }

  /// Returns the state for a snapshot, with the seal it stands for.
  ///
  /// The copy shares its memory until the next change, so encoding it delays no one.
  package func snapshot() async throws -> (state: LedgerState, head: LedgerHead) {
    try await alone { state, log in (state.ledger, log.head) }
  }

  private func perform<Result: Sendable>(
    _ request: (CheckedContinuation<Result, any Error>) -> WriterRequest
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { reply in enqueue(request(reply)) }
  }

  /// Who does the work.
  private enum Turn {
    case somebodyElses, threads, callers
  }

  private func enqueue(_ request: WriterRequest) {
    let turn = queue.withLock { queue -> Turn in
      if queue.isDraining {
        queue.waiting.append(request)
        return .somebodyElses
      }
      queue.isDraining = true
      if request.isBrief { return .callers }
      queue.waiting.append(request)
      return .threads
    }
    switch turn {
    case .somebodyElses: break
    case .threads: thread.start { self.drain() }
    case .callers: runOnCaller(request)
    }
  }

  /// Starts a brief request on the caller's thread while the writer is idle. Most polls change nothing, and what
  /// appends nothing does not block. Appends run on the writer's thread.
  private func runOnCaller(_ request: WriterRequest) {
    let proposal = request.compose(&state)
    if let proposal, proposal.drafts.contains(where: { !$0.isEmpty }) {
      // Handed over as a whole; the caller does not touch it again.
      nonisolated(unsafe) let proposal = proposal
      return thread.start {
        self.append([(request, proposal)])
        self.drain()
      }
    }
    if let proposal { append([(request, proposal)]) }
    let isOver = queue.withLock { queue in
      queue.isDraining = !queue.waiting.isEmpty
      return !queue.isDraining
    }
    if !isOver { thread.start { self.drain() } }
  }

  private func drain() {
    while true {
      let batch = queue.withLock { queue in
        let batch = Self.removeBatch(from: &queue.waiting)
        if batch.isEmpty { queue.isDraining = false }
        return batch
      }
      guard let first = batch.first else { return }
      if let alone = first.alone {
        alone(&state, Appending(ledger: ledger))
      } else {
        run(batch)
      }
    }
  }

  /// Removes and returns the longest run of requests from the front that may share an append.
  private static func removeBatch(from waiting: inout [WriterRequest]) -> [WriterRequest] {
    var users: Set<Int> = []
    var count = 0
    for request in waiting {
      guard case .users(let own) = request.scope, request.alone == nil else { break }
      // A user's second change must see what the first one appended.
      if own.contains(where: { users.contains($0) }) { break }
      users.formUnion(own)
      count += 1
    }
    let batch = Array(waiting.prefix(max(count, min(1, waiting.count))))
    waiting.removeFirst(batch.count)
    return batch
  }

  /// Runs requests that may share an append, in as few appends as the limit allows.
  private func run(_ batch: [WriterRequest]) {
    var parts: [Part] = []
    var size = 0
    for request in batch {
      guard let proposal = request.compose(&state) else { continue }
      let count = proposal.drafts.reduce(0) { $0 + $1.count }
      if size > 0, size + count > Self.batchLimit {
        append(parts)
        parts = []
        size = 0
      }
      parts.append((request, proposal))
      size += count
    }
    append(parts)
  }

  private typealias Part = (request: WriterRequest, proposal: Proposal<Void>)

  private func append(_ parts: [Part]) {
    let first = ledger.head.seq + 1
    var bodies: [RecordBody] = []
    var counts: [Int] = []
    for part in parts {
      let resolved = part.proposal.drafts.resolved(from: first + UInt64(bodies.count))
      counts.append(resolved.count)
      bodies += resolved
    }
    do {
      let records = bodies.isEmpty ? [] : try ledger.append(bodies)
      state.apply(records)
      var rest = records[...]
      for (part, count) in zip(parts, counts) {
        part.proposal.finish(&state, rest.prefix(count))
        rest = rest.dropFirst(count)
      }
    } catch {
      // One record that cannot be written must not prevent the others from being written.
      if parts.count > 1, ledger.isReady {
        for part in parts { append([part]) }
      } else {
        for part in parts {
          if let fail = part.request.fail { fail(error) } else { part.proposal.finish(&state, []) }
        }
      }
    }
  }
}
