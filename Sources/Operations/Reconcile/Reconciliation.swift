import CivilTime
import Evidence
import Ledger
import Scheduling

/// Makes the ledger say what it should up to now: takes the inbox, looks, judges, grants, closes ended days in order.
///
/// Whatever interrupts it, running it again appends only what is missing.
public struct Reconciliation: Sendable {
  private let workplace: Workplace
  private let order: ReconcileOrder
  private let progress: (@Sendable (_ done: Int, _ total: Int) -> Void)?

  /// A reconciliation at a workplace; `progress` is told how many users were visited.
  public init(
    _ workplace: Workplace, _ order: ReconcileOrder,
    progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) {
    self.workplace = workplace
    self.order = order
    self.progress = progress
  }

  /// Does the work. Throws only when the ledger cannot be written; all else is in the report.
  public func run() async throws -> ReconcileReport {
    let began = workplace.clock.now()
    var report = ReconcileReport()
    let inbox = try await InboxTaker(workplace: workplace).takeAll()
    report.tally += inbox.tally
    report.rejectedLines = inbox.rejected
    report.lateEvidence = inbox.lateEvidence
    report.problems = inbox.problems

    let (users, unknown) = await scope()
    report.problems += unknown.map { "user \($0) is not in the roster" }
    try await visit(users, into: &report)
    // Looks that were given up prove nothing: no day may be closed upon them.
    try Task.checkCancellation()
    var isRecorded = false
    if order.users.isEmpty {
      isRecorded = try await closeDays(endedBy: began, into: &report)
    }
    // A closed day may settle what a later one grants.
    report.tally += try await workplace.clerk.judgeOpenDays(of: users)
    if order.proves { report.secondRun = await secondRun(of: users, endedBy: began, report) }
    if !isRecorded { try await noteRun(report, began: began) }
    return report
  }

  /// The accounts at hand, and the ids that nobody has.
  private func scope() async -> (users: [Int], unknown: [String]) {
    let order = order
    return await workplace.clerk.read { desk in
      let book = desk.book
      if !order.users.isEmpty {
        let found = order.users.compactMap { id in book.index(of: id) }
        return (found, order.users.filter { book.index(of: $0) == nil })
      }
      let all = book.accounts.indices.filter { user in
        let account = book.accounts[user]
        if account.isRemoved { return false }
        return order.zones.isEmpty || order.zones.contains(book.zone(of: account))
          || account.changes.contains { order.zones.contains($0.zone) }
      }
      return (all, [])
    }
  }

  private func visit(_ users: [Int], into report: inout ReconcileReport) async throws {
    guard let visitor = workplace.visitor else {
      report.users = users.count
      return
    }
    let progress = progress
    let round = try await visitor.visit(users, width: workplace.width) { done in
      progress?(done, users.count)
    }
    report.users = round.users
    report.looks = round.looks
    report.tally += round.tally
    report.lateEvidence += round.lateEvidence
    for (cause, count) in round.failures { report.failedLooks[cause.rawValue] = count }
    report.problems += round.problems.sorted { $0.key < $1.key }.map {
      "user \($0.key): \($0.value)"
    }
  }

  /// Closes what is due; returns whether the run's record was committed with the last close.
  private func closeDays(
    endedBy began: Instant, into report: inout ReconcileReport
  ) async throws -> Bool {
    let guarding = MassBreakGuard(
      factor: workplace.configuration.massBreakGuard.breakFactor,
      minimumStreaks: workplace.configuration.massBreakGuard.minimumStreaks)
    var waiting: Set<String> = []
    var isRecorded = false
    while true {
      // Asked again after each close: a zone change may take effect with it.
      let due = await dueCloses(endedBy: began)
      let free = due.filter { !waiting.contains($0.zone) }
      guard let next = free.first else { return isRecorded }
      let completes = !isRecorded && free.count == 1 && order.run.nominal != nil
      try Task.checkCancellation()
      let outcome = try await workplace.clerk.close(
        next, guarding: guarding, isConfirmed: order.isConfirmed,
        actor: workplace.surroundings.actor,
        completing: completes ? completion(of: report, began) : nil)
      switch outcome {
      case .closed(let day):
        report.add(day)
        isRecorded = isRecorded || completes
      case .waiting(let close, let objection):
        waiting.insert(close.zone)
        report.waiting.append((close, objection))
      }
    }
  }

  /// The closes of days that had ended when the looks began: of a later end they have seen nothing.
  private func dueCloses(endedBy began: Instant) async -> [DueClose] {
    await workplace.clerk.dueCloses(
      endedBy: began, zones: order.zones.isEmpty ? nil : order.zones, through: order.day)
  }

  /// What a second run on the same looks would append.
  private func secondRun(
    of users: [Int], endedBy began: Instant, _ report: ReconcileReport
  ) async -> Int {
    let missing = await workplace.clerk.missingCount(of: users)
    guard order.users.isEmpty else { return missing }
    let due = await dueCloses(endedBy: began)
    let waiting = Set(report.waiting.map(\.close.zone))
    return missing + due.count { !waiting.contains($0.zone) }
  }

  /// Makes the run's record once the last close is known: a fire and its record are one commit.
  private func completion(
    of report: ReconcileReport, _ began: Instant
  ) -> @Sendable (ClosedDay) -> RunRecord {
    { [self] day in
      var complete = report
      complete.add(day)
      return record(of: complete, began: began)
    }
  }

  private func noteRun(_ report: ReconcileReport, began: Instant) async throws {
    let run = record(of: report, began: began)
    if order.run.nominal == nil {
      try await workplace.clerk.note(run)
    } else {
      try await workplace.clerk.noteOnce(run)
    }
  }

  private func record(of report: ReconcileReport, began: Instant) -> RunRecord {
    let nominal = order.run.nominal ?? began.truncatedToMilliseconds
    let counts: [(String, Int)] = [
      ("closed", report.closed.count), ("users", report.users), ("grants", report.tally.grants),
      ("unknown", report.unknown), ("waiting", report.waiting.count),
      ("appended", report.tally.appended),
    ]
    return RunRecord(
      job: order.run.job, zone: order.run.zone, nominal: nominal,
      nominalLocal: order.run.nominalLocal ?? nominal.description,
      actual: began.truncatedToMilliseconds,
      outcome: report.needsAttention ? "attention" : "done", reason: nil,
      counts: counts.map { RunCount(name: $0.0, value: Int64($0.1)) })
  }
}
