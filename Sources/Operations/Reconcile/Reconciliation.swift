import CivilTime
import Configuration
import Evidence
import Ledger
import Scheduling

/// Brings the ledger up to date: takes in the inbox, polls, judges, grants, and closes ended days in order.
///
/// After any interruption, running it again appends only what is missing.
package struct Reconciliation: Sendable {
  private let runtime: Runtime
  private let order: ReconcileOrder
  private let progress: (@Sendable (_ done: Int, _ total: Int) -> Void)?

  /// Creates a reconciliation for a runtime; `progress` receives the number of users polled.
  package init(
    _ runtime: Runtime, _ order: ReconcileOrder,
    progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) {
    self.runtime = runtime
    self.order = order
    self.progress = progress
  }

  /// Runs the reconciliation. Throws only when the ledger cannot be written; everything else is in the report.
  package func run() async throws -> ReconcileReport {
    let began = runtime.clock.now()
    var report = ReconcileReport()
    if !order.closesCounted {
      let inbox = try await InboxSweep(runtime: runtime).readAll()
      report.counts += inbox.counts
      report.rejectedLines = inbox.rejected
      report.rejections = inbox.rejections
      report.lateEvidence = inbox.lateEvidence
      report.problems = inbox.complaints
    }
    let (users, unknown) = await scope()
    report.problems += unknown.map { "user \($0) is not in the roster" }
    report.problems += await unreadableZones(of: users)
    if !order.closesCounted { try await poll(users, into: &report) }
    // Abandoned polls prove nothing, so no day may be closed on them.
    try Task.checkCancellation()
    let elsewhere = StreaksElsewhere(runtime, order, began: began)
    report.hadAttention = try await elsewhere.lastCountingNeededAttention()
    var isRecorded = false
    if order.users.isEmpty {
      isRecorded = try await closeDays(elsewhere, endedBy: began, into: &report)
    }
    // A closed day may decide what a later one grants.
    let judged = users + (await leavers())
    report.counts += try await OpenDayEvaluation(runtime.writer).run(over: judged)
    do {
      report.waitingDays = try await WaitingDays.read(runtime, for: order)
    } catch {
      report.problems.append("cannot find out which days wait for a backfill: \(error)")
    }
    if order.proves { report.secondRun = await secondRun(of: judged, endedBy: began, report) }
    // The fire of a job that could not close everything yet is still due.
    let isStillDue = report.isPutOff && order.run.nominal != nil
    if !isRecorded, !isStillDue { try await appendRun(report, began: began) }
    if order.users.isEmpty { await finish(elsewhere, began: began, &report) }
    return report
  }

  /// Returns the accounts in scope, and the ids that belong to no one.
  private func scope() async -> (users: [Int], unknown: [String]) {
    let order = order
    return await runtime.writer.scan { state in
      let ledger = state.ledger
      if !order.users.isEmpty {
        let found = order.users.compactMap { id in ledger.index(of: id) }
        return (found, order.users.filter { ledger.index(of: $0) == nil })
      }
      let all = ledger.accounts.indices.filter { user in
        let account = ledger.accounts[user]
        if !account.isPresent { return false }
        return order.isAbout(ledger.zone(of: account))
          || account.changes.contains { order.zones.contains($0.zone) }
      }
      return (all, [])
    }
  }

  /// Returns one line for each unreadable time zone, naming users who cannot be judged.
  private func unreadableZones(of users: [Int]) async -> [String] {
    let zones = runtime.environment.zones
    let now = runtime.clock.now()
    return await runtime.writer.scan { state in
      let accounts = state.ledger.accounts
      // One user represents each zone; the others of a zone are looked for only when it is unreadable.
      let residents = users.reduce(into: [:]) { $0[accounts[$1].zone] = $1 }
      return residents.compactMap { zone, resident -> String? in
        do throws(ZoneError) {
          _ = try zones.zone(named: state.ledger.zone(of: accounts[resident]))
          return nil
        } catch {
          let all = users.filter { user in
            guard accounts[user].zone == zone else { return false }
            return (try? state.allWindows(of: accounts[user], through: now, orElse: nil)) == nil
          }
          if all.isEmpty { return nil }
          let names = all.prefix(Self.namedUsers).map { accounts[$0].id }.joined(separator: ", ")
          let rest = all.count - Self.namedUsers
          return "not judged: \(names)\(rest > 0 ? " and \(rest) more" : ""): \(error)"
        }
      }.sorted()
    }
  }

  /// The maximum number of users that a message names.
  private static let namedUsers = 5

  /// Returns the users who have left and whose day of leaving is open. They are not polled; that day is judged as
  /// usual.
  private func leavers() async -> [Int] {
    let order = order
    if !order.users.isEmpty { return [] }
    return await runtime.writer.scan { state in
      let ledger = state.ledger
      return ledger.accounts.indices.filter { user in
        let account = ledger.accounts[user]
        guard let leftAt = account.leftAt, leftAt >= account.boundary else { return false }
        return order.isAbout(ledger.zone(of: account))
      }
    }
  }

  private func poll(_ users: [Int], into report: inout ReconcileReport) async throws {
    guard let poller = runtime.poller else {
      report.users = users.count
      return
    }
    let progress = progress
    var round = try await poller.poll(users, width: runtime.width, by: order.planner) { done in
      progress?(done, users.count)
    }
    report.users = round.users
    try await lookAgain(by: poller, &round)
    report.looks = round.looks
    report.counts += round.counts
    report.lateEvidence += round.lateEvidence
    for (cause, count) in round.failures { report.failedLooks[cause.rawValue] = count }
    report.problems += round.problems.sorted { $0.key < $1.key }.map {
      "user \($0.key): \($0.value)"
    }
  }

  /// The waits before each retry of an API that has just failed, in seconds.
  private static let patience = [5.0, 10.0]
  /// The number of consecutive answered trials on one user after which all may be polled again.
  private static let trials = 4

  /// Polls again, once the API has recovered, the users missed during its failure. A close would otherwise leave
  /// unknown for good what an outage of seconds has hidden.
  private func lookAgain(by poller: Poller, _ round: inout Poller.Round) async throws {
    for seconds in Self.patience where round.failures[.circuitOpen] != nil {
      guard let first = round.unseen.first else { return }
      try await runtime.clock.sleep(seconds: seconds)
      var trial = Poller.Round()
      for _ in 0..<Self.trials {
        trial = try await poller.poll(first, by: order.planner)
        round.looks += trial.looks
        round.counts += trial.counts
        round.lateEvidence += trial.lateEvidence
        if trial.unseen.isEmpty { break }
      }
      guard trial.unseen.isEmpty else { continue }
      let users = round.unseen
      round.unseen = []
      for cause in round.failures.keys where cause.maySoonPass { round.failures[cause] = nil }
      round += try await poller.poll(users, width: runtime.width, by: order.planner)
    }
  }

  /// The interval for asking whether other shards have counted, in seconds.
  private static let askEverySeconds = 2.0

  /// Closes what is due, in order; returns whether the run's record was committed with the last close.
  private func closeDays(
    _ elsewhere: StreaksElsewhere, endedBy began: Instant, into report: inout ReconcileReport
  ) async throws -> Bool {
    // Only days that had ended when the polls began; the polls saw nothing of a later end.
    var open = await dueCloses(endedBy: began)
    if let doubt = runtime.heldClock.doubt, !open.isEmpty {
      report.clockDoubt = doubt
      return false
    }
    // The clock may have been set back since.
    let began = min(began, runtime.clock.now())
    open.removeAll { $0.window.end > began }
    try await elsewhere.count(open)
    if let deferred = elsewhere.deferred(open) {
      report.deferred = deferred
      return false
    }
    while true {
      let answer = try await elsewhere.query(open)
      report.deferred = answer.deferred
      let isRecorded = try await close(answer, endedBy: began, into: &report)
      guard let whenDelayed = order.whenDelayed else { return isRecorded }
      whenDelayed(answer.deferred.first)
      if answer.deferred.isEmpty { return isRecorded }
      try await runtime.clock.sleep(seconds: Self.askEverySeconds)
      let waiting = Set(report.waiting.map(\.close.zone))
      let closed = Set(answer.due)
      open.removeAll { closed.contains($0) || waiting.contains($0.zone) }
    }
  }

  /// Closes what may be closed now.
  private func close(
    _ answer: StreaksElsewhere.Answer, endedBy began: Instant, into report: inout ReconcileReport
  ) async throws -> Bool {
    let closer = runtime.closer
    let due = answer.due
    if !order.isConfirmed, answer.allDays.count > 1, !due.isEmpty {
      var all = answer.all
      for count in await closer.count(answer.asked).values { all += count }
      if let objection = closer.objection(to: all + (await closer.usual())) {
        report.waiting += due.map { ($0, objection: "all zones together: \(objection)") }
        return false
      }
    }
    var waiting: Set<String> = []
    var isRecorded = false
    for (index, next) in due.enumerated() where !waiting.contains(next.zone) {
      let isLast =
        answer.deferred.isEmpty && due[(index + 1)...].allSatisfy { waiting.contains($0.zone) }
      let completes = isLast && order.run.nominal != nil
      try Task.checkCancellation()
      let outcome = try await closer.close(
        next, isConfirmed: order.isConfirmed, actor: order.actor ?? runtime.environment.actor,
        beside: answer.others[next] ?? StreakCount(), unheard: answer.unheard[next] ?? [],
        completing: completes ? completion(of: report, began) : nil)
      switch outcome {
      case .closed(let day):
        report.add(day)
        log(day)
        isRecorded = isRecorded || completes
      case .nobody: break
      case .waiting(let close, let objection):
        waiting.insert(close.zone)
        report.waiting.append((close, objection))
      }
    }
    return isRecorded
  }

  /// Tells the other shards the current state. Failing to reach them does not undo the work.
  private func finish(
    _ elsewhere: StreaksElsewhere, began: Instant, _ report: inout ReconcileReport
  ) async {
    do {
      try await elsewhere.finish(began: began, needsAttention: report.findsAttention)
    } catch {
      report.problems.append("cannot report the closed days to the other shards: \(error)")
    }
  }

  private func log(_ day: ClosedZoneDay) {
    runtime.environment.log.info(
      "a day was closed",
      [
        "zone": .text(day.close.zone), "day": .text(day.close.window.day.description),
        "users": .number(day.users), "grants": .number(day.counts.grants),
        "unknown": .number(day.unknown), "broken": .number(day.broken),
      ])
  }

  private func dueCloses(endedBy began: Instant) async -> [DueClose] {
    await runtime.closer.due(
      endedBy: began, zones: order.zones.isEmpty ? nil : order.zones, through: order.day)
  }

  /// Returns how many records a second run on the same polls would append.
  private func secondRun(
    of users: [Int], endedBy began: Instant, _ report: ReconcileReport
  ) async -> Int {
    let missing = await OpenDayEvaluation(runtime.writer).missingCount(of: users)
    // While the clock is in doubt, days wait for it.
    guard order.users.isEmpty, report.clockDoubt == nil else { return missing }
    let due = await dueCloses(endedBy: min(began, runtime.clock.now()))
    let waiting = Set((report.waiting.map(\.close) + report.deferred.map(\.close)).map(\.zone))
    return missing + due.count { !waiting.contains($0.zone) }
  }

  /// Returns a function that makes the run's record once the last close is known, so that a fire and its record are one
  /// commit.
  private func completion(
    of report: ReconcileReport, _ began: Instant
  ) -> @Sendable (ClosedZoneDay) -> RunRecord {
    { [self] day in
      var complete = report
      complete.add(day)
      return record(of: complete, began: began)
    }
  }

  private func appendRun(_ report: ReconcileReport, began: Instant) async throws {
    let run = record(of: report, began: began)
    if order.run.nominal == nil {
      try await runtime.writer.append(.run(run))
    } else {
      try await runtime.writer.appendOnce(run)
    }
  }

  private func record(of report: ReconcileReport, began: Instant) -> RunRecord {
    let nominal = order.run.nominal ?? began.truncatedToMilliseconds
    let counts: [(String, Int)] = [
      ("closed", report.closed.count), ("users", report.users), ("grants", report.counts.grants),
      ("unknown", report.unknown), ("waiting", report.waiting.count),
      ("appended", report.counts.appended),
    ]
    return RunRecord(
      job: order.run.job, zone: order.run.zone, nominal: nominal,
      nominalLocal: order.run.nominalLocal ?? nominal.description, schedule: order.run.schedule,
      actual: began.truncatedToMilliseconds,
      // Closes that wait for another round need no attention.
      outcome: (order.countedSince == nil ? report.needsAttention : report.findsAttention)
        ? "attention" : "done", reason: nil,
      counts: counts.map { RunCount(name: $0.0, value: Int64($0.1)) })
  }
}
