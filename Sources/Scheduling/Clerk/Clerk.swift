public import CivilTime
import Evidence
public import Ledger
import Threading

/// The one who decides and writes: every change of the ledger passes here, one turn at a time.
///
/// Visits of many users share a turn and so a seal. A turn reads the desk, composes records, appends them, and takes
/// them into the desk only after they are on disk; when the append fails, the desk stays as it was and the looks of
/// that turn count as not made.
public actor Clerk {
  /// The clock that stamps and decides.
  let clock: any ServiceClock
  let ledger: any LedgerAppending
  let looks: any LookKeeping
  /// What is known; between turns it agrees with the ledger on disk.
  var desk: Desk

  private var waitingVisits: [(visit: Visit, waiter: CheckedContinuation<Receipt, any Error>)] = []
  private var isServingVisits = false
  private let turns = Turnstile()

  /// Visits that share a turn at most.
  static let visitLimit = 2_048

  /// A clerk over a book that agrees with the ledger.
  public init(
    book: Book, context: JudgeContext, zones: any ZoneSource, clock: any ServiceClock,
    ledger: any LedgerAppending, looks: any LookKeeping
  ) {
    self.clock = clock
    self.ledger = ledger
    self.looks = looks
    desk = Desk(book: book, context: context, zones: zones)
  }

  /// Takes in one user's looks, judges, and grants; returns after the records are on disk.
  public func take(_ visit: Visit) async throws -> Receipt {
    try await withCheckedThrowingContinuation { waiter in
      waitingVisits.append((visit, waiter))
      if isServingVisits { return }
      isServingVisits = true
      Task { await serveVisits() }
    }
  }

  /// Runs `read` on what is known, between turns or while one waits for the disk.
  public func read<Result: Sendable>(
    _ read: @Sendable (inout Desk) throws -> Result
  ) rethrows -> Result {
    try read(&desk)
  }

  /// Runs `work` alone: no other change of the ledger happens before it returns.
  func inTurn<Result: Sendable>(
    _ work: (isolated Clerk) async throws -> Result
  ) async rethrows -> Result {
    await turns.enter()
    defer { turns.leave() }
    return try await work(self)
  }

  /// Appends one draft per user and takes the records into the book; only within a turn.
  func commit(_ drafts: [Draft]) async throws -> [Record] {
    let first = ledger.head.seq + 1
    var bodies: [RecordBody] = []
    for draft in drafts { bodies += draft.resolved(from: first + UInt64(bodies.count)) }
    guard !bodies.isEmpty else { return [] }
    let records = try await ledger.append(bodies)
    let known = desk.book.accounts.count
    for record in records { desk.book.apply(record) }
    if desk.book.accounts.count > known {
      desk.histories += Array(
        repeating: LookHistories(), count: desk.book.accounts.count - known)
    }
    return records
  }

  private func serveVisits() async {
    while !waitingVisits.isEmpty {
      await turns.enter()
      var users: Set<Int> = []
      // A user's second visit waits for the next turn, which sees the first one's grants.
      let count = waitingVisits.prefix(Self.visitLimit).prefix {
        users.insert($0.visit.user).inserted
      }.count
      let batch = Array(waitingVisits.prefix(count))
      waitingVisits.removeFirst(count)
      do {
        let receipts = try await judge(batch.map(\.visit))
        for (waiting, receipt) in zip(batch, receipts) { waiting.waiter.resume(returning: receipt) }
      } catch {
        for waiting in batch { waiting.waiter.resume(throwing: error) }
      }
      turns.leave()
    }
    isServingVisits = false
  }
}
