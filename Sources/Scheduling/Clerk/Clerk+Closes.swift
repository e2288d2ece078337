public import CivilTime
import Evidence
public import Ledger
import RewardRules

extension Clerk {
  /// The closes that were due at `instant`, in order; `zones` and `day` narrow them.
  public func dueCloses(
    endedBy instant: Instant, zones: Set<String>?, through day: Day?
  ) -> [DueClose] {
    desk.dueCloses(now: instant, zones: zones, through: day)
  }

  /// Judges every user of the zone for the day, writes what is missing, and then the `close`.
  ///
  /// The lines of many users go to the ledger in several batches; the close is in the last one. Whatever interrupts,
  /// running it again writes only what is missing. With `isConfirmed` the guard's objection is recorded as overruled.
  /// `run` makes the record of the run that this close completes: it is committed together with the close.
  public func close(
    _ due: DueClose, guarding: MassBreakGuard, isConfirmed: Bool, actor: String,
    completing run: (@Sendable (ClosedDay) -> RunRecord)? = nil
  ) async throws -> CloseReport {
    try await inTurn { clerk in
      try await clerk.closeInTurn(due, guarding, isConfirmed: isConfirmed, actor: actor, run)
    }
  }

  private func closeInTurn(
    _ due: DueClose, _ guarding: MassBreakGuard, isConfirmed: Bool, actor: String,
    _ run: (@Sendable (ClosedDay) -> RunRecord)?
  ) async throws -> CloseReport {
    let now = clock.now()
    let users = desk.cohort(of: due, now: now)
    var total = CloseTotal()
    var drafts: [Draft] = []
    for user in users {
      guard
        var judge = try desk.judge(
          of: user, now: now, cause: "reconcile", closingThrough: due.window.end)
      else { continue }
      judge.judge()
      total.add(judge.close(of: due.window))
      if !total.last.isEmpty { drafts.append(total.last) }
    }
    let objection = guarding.objection(
      streaks: total.counts.streaks, broken: total.counts.broken,
      history: desk.book.closes.values.flatMap(\.shares))
    let isFree = isConfirmed || desk.book.confirmedCloses.contains("\(due.zone)/\(due.window.day)")
    if let objection, !isFree { return .waiting(due, objection: objection) }
    let overruled = isConfirmed ? objection : nil
    var last = Draft()
    if let overruled {
      last.bodies.append(
        .operator(
          OperatorRecord(
            act: .confirmClose, subject: "\(due.zone)/\(due.window.day)",
            reason: overruled, actor: actor)))
    }
    last.bodies += total.boundary
    let record = total.record(
      due, users: users.count, tzdata: desk.zones.version, head: ledger.head)
    let closed = try await write(drafts, last, record) { tally in
      let closed = total.closedDay(due, users: users.count, tally: tally)
      guard let run = run?(closed), !desk.book.isRecorded(run) else { return (closed, nil) }
      return (closed, run)
    }
    forgetLooks(of: users)
    return .closed(closed)
  }

  /// Records per batch of a close, about; a batch is one seal.
  private static let batchLimit = 20_000

  /// Writes the users' lines, then in one batch `last`, the close, and the record of the run that it completes.
  private func write(
    _ drafts: [Draft], _ last: Draft, _ close: CloseRecord,
    completing: (Tally) -> (closed: ClosedDay, run: RunRecord?)
  ) async throws -> ClosedDay {
    var tally = Tally()
    var batch: [Draft] = []
    var size = 0
    for draft in drafts {
      batch.append(draft)
      size += draft.count
      if size >= Self.batchLimit {
        tally += Tally(try await commit(batch))
        batch = []
        size = 0
      }
    }
    var last = last
    var close = close
    // The head before the close is the one after the batches so far.
    (close.headSeq, close.headHash) = (ledger.head.seq, ledger.head.hash)
    last.bodies.append(.close(close))
    batch.append(last)
    tally += Tally(bodies: batch.flatMap { $0.resolved(from: 0) })
    let (closed, run) = completing(tally)
    if let run {
      var draft = Draft()
      draft.bodies = [.run(run)]
      batch.append(draft)
    }
    _ = try await commit(batch)
    return closed
  }

  private func forgetLooks(of users: [Int]) {
    for user in users {
      let boundary = desk.book.accounts[user].boundary
      for route in Source.routes { desk.histories[user][route].forget(before: boundary) }
    }
  }
}

/// Adds up what the users of a close bring.
private struct CloseTotal {
  var counts = CloseCounts()
  var points: Int64 = 0
  var exp: Int64 = 0
  var boundary: [RecordBody] = []
  var last = Draft()

  mutating func add(_ user: UserClose) {
    counts += user.counts
    points += user.points
    exp += user.exp
    boundary += user.boundary
    last = user.draft
  }

  func record(_ due: DueClose, users: Int, tzdata: String, head: LedgerHead) -> CloseRecord {
    CloseRecord(
      zone: due.zone, window: due.window, users: users, counts: counts, points: points, exp: exp,
      tzdata: tzdata, headSeq: head.seq, headHash: head.hash)
  }

  func closedDay(_ due: DueClose, users: Int, tally: Tally) -> ClosedDay {
    ClosedDay(
      close: due, users: users, unknown: counts.unknown, broken: counts.broken, tally: tally)
  }
}

extension CloseCounts {
  fileprivate static func += (left: inout CloseCounts, right: CloseCounts) {
    left.met += right.met
    left.notMet += right.notMet
    left.unknown += right.unknown
    left.counted += right.counted
    left.missed += right.missed
    left.held += right.held
    left.excused += right.excused
    left.streaks += right.streaks
    left.broken += right.broken
  }
}
