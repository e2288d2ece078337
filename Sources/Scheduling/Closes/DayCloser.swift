package import CivilTime
import Engine
import Evidence
package import Ledger
import RewardRules

/// Closes ended days: judges every user of a zone, appends what is missing, and then appends the `close`.
package struct DayCloser: Sendable {
  private let writer: LedgerWriter
  private let massBreakGuard: MassBreakGuard
  /// The approximate number of records per batch of a close; a batch is one seal.
  private static let batchLimit = 20_000

  package init(_ writer: LedgerWriter, guarding massBreakGuard: MassBreakGuard) {
    self.writer = writer
    self.massBreakGuard = massBreakGuard
  }

  /// Returns the closes due at `instant`, in order, optionally only those of `zones` and up to `day`.
  package func due(
    endedBy instant: Instant, zones: Set<String>?, through day: Day?
  ) async -> [DueClose] {
    await writer.scan { DueClose.all(in: &$0, now: instant, zones: zones, through: day) }
  }

  /// Returns the report on streaks here for other ledgers, with the counts of `closes`.
  package func report(counting closes: [DueClose]) async -> StreakReport {
    await writer.scan { $0.report(counting: closes) }
  }

  /// Returns how streaks would fare in each of the closes, by what is known now, without the usual figures.
  package func count(_ closes: [DueClose]) async -> [DueClose: StreakCount] {
    await writer.scan { $0.count(closes) }
  }

  /// Returns how streaks usually fare here.
  package func usual() async -> StreakCount { await writer.read { $0.usualStreaks } }

  /// Returns why closes with this total count must wait for an operator; nil if they need not.
  package func objection(to count: StreakCount) -> String? { massBreakGuard.objection(to: count) }

  /// Judges every user of the zone for the day, appends what is missing, and then appends the `close`.
  ///
  /// The lines of many users are appended in several batches; the close is in the last one. After an interruption,
  /// running it again appends only what is missing. With `isConfirmed`, the guard's objection is recorded as
  /// overruled. `run` creates the record of the run that this close completes, and both are committed together.
  /// `others` is what other ledgers have counted for the same day; a close confirmed while some are `unheard` says
  /// so.
  package func close(
    _ due: DueClose, isConfirmed: Bool, actor: String, beside others: StreakCount = StreakCount(),
    unheard: [Int] = [],
    completing run: (@Sendable (ClosedZoneDay) -> RunRecord)? = nil
  ) async throws -> CloseReport {
    let massBreakGuard = massBreakGuard
    return try await writer.alone { state, log in
      // The clock may have been set back since the close was found due.
      if due.window.end > state.clock.certain() { return .nobody }
      var work = CloseWork(due)
      work.judge(&state)
      if work.users.isEmpty { return .nobody }
      var count = state.usualStreaks + others
      count.add(streaks: work.counts.streaks, broken: work.counts.broken)
      var objection = massBreakGuard.objection(to: count)
      if isConfirmed, objection == nil, !unheard.isEmpty {
        let shards = unheard.map { "\($0)" }.joined(separator: ", ")
        objection = "the streaks of shard \(shards) were not counted"
      }
      let isFree = isConfirmed || state.ledger.confirmedCloses.contains(due.place)
      if let objection, !isFree { return .waiting(due, objection: objection) }
      var before: [RecordBody] = []
      if isConfirmed, let objection {
        before = [
          .operator(
            OperatorRecord(
              act: .confirmClose, subject: "\(due.place)", reason: objection, actor: actor))
        ]
      }
      return .closed(try work.write(before, run, &state, log))
    }
  }

  /// One zone's day while it is being closed.
  private struct CloseWork {
    let due: DueClose
    private(set) var counts = CloseCounts()
    private var unknownOfNewcomers = 0
    private(set) var users: [Int] = []
    private var amounts = Amounts()
    private var drafts: [Draft] = []
    private var moves: [RecordBody] = []
    /// The earliest start of the users' days, not counting users who have a line of their own.
    private var start: Instant?

    init(_ due: DueClose) { self.due = due }

    mutating func judge(_ state: inout WorkingState) {
      let now = state.clock.now()
      for user in due.cohort(in: &state, now: now) {
        let part = state.close(of: user, now: now)
        if part?.moving == nil {
          let begins = state.ledger.accounts[user].boundary
          start = min(start ?? begins, begins)
        }
        guard let part else { continue }
        users.append(user)
        counts += part.counts
        unknownOfNewcomers += part.unknownOfNewcomer
        amounts += part.amounts
        if !part.draft.isEmpty { drafts.append(part.draft) }
        if let moving = part.moving { moves.append(.user(moving)) }
      }
    }

    /// Returns the date from the earliest start of the users' days on. If older rules of the zone ended the day
    /// before later than newer ones would, it starts there instead.
    private func window(after last: DayWindow?) -> DayWindow {
      let own = due.window
      guard var start else { return own }
      if start > own.start {
        guard let last, last.day < own.day, own.contains(last.end), last.end <= start else {
          return own
        }
        start = last.end
      }
      return DayWindow(day: own.day, start: start, end: own.end)
    }

    /// Appends the users' lines, and then in one batch `before`, the close, what takes effect with it, and the record
    /// of the run it completes.
    func write(
      _ before: [RecordBody], _ run: ((ClosedZoneDay) -> RunRecord)?,
      _ state: inout WorkingState, _ log: LedgerWriter.Appending
    ) throws -> ClosedZoneDay {
      var counts = AppendCounts()
      var batch: [Draft] = []
      var size = 0
      for draft in drafts {
        batch.append(draft)
        size += draft.count
        if size >= DayCloser.batchLimit {
          counts += AppendCounts(try log.commit(batch, &state))
          batch = []
          size = 0
        }
      }
      // The head before the close is the one after the batches so far.
      let window = window(after: state.ledger.closes[due.zone]?.last)
      let close = CloseRecord(
        zone: due.zone, window: window,
        dateStart: window.start == due.window.start ? nil : due.window.start, users: users.count,
        counts: self.counts, amounts: amounts, tzdata: state.zones.version,
        sources: state.terms.sources, head: log.head)
      batch.append(Draft(before + [.close(close)] + moves))
      counts += AppendCounts(bodies: batch.resolved(from: 0))
      let closed = ClosedZoneDay(
        close: due, users: users.count, unknown: self.counts.unknown,
        unknownOfNewcomers: unknownOfNewcomers, broken: self.counts.broken, amounts: amounts,
        counts: counts)
      if let run = run?(closed), !state.ledger.jobs.holds(run) { batch.append(Draft([.run(run)])) }
      _ = try log.commit(batch, &state)
      state.forgetClosedLooks(of: users)
      return closed
    }
  }
}

extension WorkingState {
  /// Returns a user's contribution to the close of the first open day; nil if the user cannot be judged.
  fileprivate mutating func close(of user: Int, now: Instant) -> DayClose? {
    // Of a long past, only the first window is needed.
    let isResident = ledger.accounts[user].isResident
    let horizon = isResident ? min(now, ledger.accounts[user].boundary) : now
    guard let timeline = judgedTimeline(of: user, now: horizon),
      let first = timeline.openWindows.first
    else { return nil }
    var days = OpenDays(timeline, cause: "reconcile")
    days.evaluate(closingThrough: first.end)
    let account = timeline.account
    if let comeback = account.comebacks.first, comeback.follows(first.end) {
      let zone = ledger.users.zones[comeback.zone]
      return DayClose(days, next: (max(first.end, comeback.from), zone))
    }
    let change = account.changes.last { $0.at < first.end }
    // A zone whose name has vanished has been replaced by another.
    let stays =
      change == nil && !account.hasLeft(before: first.end) && ledger.zone(of: account) == first.zone
    return DayClose(days, next: stays ? nil : (first.end, change?.zone ?? first.zone))
  }

  /// Drops what the polls proved about days now closed.
  fileprivate mutating func forgetClosedLooks(of users: [Int]) {
    for user in users {
      let boundary = ledger.accounts[user].boundary
      for route in Source.polled { looks[user][route].forget(before: boundary) }
    }
  }
}

extension EngineTerms {
  /// The sources of the watched kinds.
  fileprivate var sources: [Source] {
    Source.allCases.filter { source in
      ActivityKind.allCases.contains { sources(of: $0).contains(source) && watched.contains($0) }
    }
  }
}
