package import CivilTime
import Digests
import Engine
import Evidence
import Foundations
package import Ledger
import LedgerStore
import Scheduling

/// Declares outages, pardons days, and withdraws either.
package struct Excuses: Sendable {
  /// The maximum number of users that a record names.
  private static let usersARecord = 1_000

  private let runtime: Runtime

  /// Creates declarations for the ledger that this process holds.
  package init(_ runtime: Runtime) { self.runtime = runtime }

  /// Records an outage or pardon for these users and zones, each defaulting to all; returns the lines appended.
  ///
  /// From now on it applies to open days; closed days need a backfill. Throws ``LedgerStore/LedgerError``, or the problem that a long
  /// pardon waits for a second person, whose approval of it is `id`.
  package func declare(
    _ excuse: ExcuseRecord, users: [String] = [], zones: [String] = [], approving id: String? = nil
  ) async throws -> [UInt64] {
    var records: [ExcuseRecord] = []
    for zone in zones.isEmpty ? [nil] : zones.map(Optional.some) {
      var rest = users[...]
      repeat {
        var record = excuse
        let some = Array(rest.prefix(Self.usersARecord))
        rest = rest.dropFirst(some.count)
        record.zone = zone
        record.users = users.isEmpty ? nil : some
        records.append(record)
      } while !rest.isEmpty
    }
    let scope = [
      users.isEmpty ? nil : Self.scope(of: users),
      zones.isEmpty ? nil : "zones \(zones.joined(separator: " "))",
    ].listed
    let act = OperatorRecord(
      act: .excuse, subject: excuse.period, what: scope ?? "everybody", reason: excuse.reason,
      actor: excuse.actor)
    let limits = await runtime.writer.read { $0.ledger.handLimits }
    guard let excess = limits.excess(of: excuse) else { return try await record(act, records) }
    return try await runtime.secondActor.carryOut(
      .pardon(act.subject, act.what ?? "", reason: excuse.reason), approving: id,
      actor: excuse.actor
    ) { [act, records] request in
      guard let request else { throw HandExcess(text: excess) }
      var agreed = act
      agreed.request = request
      return try await record(agreed, records)
    }
  }

  /// Returns the words of an act that withdraws the excuse in the line `seq`.
  static func withdrawal(of seq: UInt64) -> String { "withdraws line \(seq)" }

  /// Returns the words of an act about these users: their names, or of many their number and a digest, since a line has its limit.
  static func scope(of users: [String]) -> String {
    let names = users.joined(separator: " ")
    if users.count <= 50 { return "users \(names)" }
    return "users \(users.count), SHA-256 \(SHA256.digest(of: Array(names.utf8)))"
  }

  /// Appends an act and its records under one seal; returns the lines of the records.
  private func record(_ act: OperatorRecord, _ records: [ExcuseRecord]) async throws -> [UInt64] {
    try await runtime.writer.change(.all) { state in
      let pardon = BigAct.pardon(act.subject, act.what ?? "", reason: act.reason)
      if let request = act.request, !state.ledger.isAgreed(pardon) {
        throw SecondActor.Problem.notRequested(id: request)
      }
      let bodies = records.map { RecordBody.excuse($0).ofActBefore }
      return LedgerWriter.Proposal([Draft([.operator(act)] + bodies)]) { _, appended in
        appended.dropFirst().map(\.seq)
      }
    }
  }

  /// Returns the line of an outage or pardon in force with the same instants or days, for the same users and one of the
  /// zones; nil without one.
  func standing(like excuse: ExcuseRecord, users: [String], zones: [String]) async -> UInt64? {
    await runtime.writer.read { state in
      LedgerState.standing(state.ledger.excuses, asOf: .max).first { standing in
        let record = standing.record
        return (record.from, record.to) == (excuse.from, excuse.to)
          && record.outage == excuse.outage && record.users ?? [] == users
          && (record.zone.map(zones.contains) ?? zones.isEmpty)
      }?.seq
    }
  }

  /// Withdraws the outage or pardon in a line of the ledger, and returns the withdrawal with its line; returns nil when
  /// none stands there.
  package func withdraw(
    _ seq: UInt64, reason: String, actor: String
  ) async throws -> LedgerState.Excuse? {
    let standing = await runtime.writer.read { state in
      LedgerState.standing(state.ledger.excuses, asOf: .max).first { $0.seq == seq }
    }
    guard var record = standing?.record else { return nil }
    (record.withdraws, record.reason, record.actor) = (seq, reason, actor)
    let lines = try await self.record(
      OperatorRecord(
        act: .excuse, subject: record.period, what: Self.withdrawal(of: seq), reason: reason,
        actor: actor), [record])
    return lines.first.map { LedgerState.Excuse(seq: $0, record: record) }
  }

  /// Returns the number of closed user-days with a gap that an outage overlaps.
  package func hiddenUserDays(
    by outage: ExcuseRecord.Outage, users: [String], zones: [String]
  ) async throws -> Int {
    let isMeant = await scope(users: users, zones: zones)
    return try await BlockingThread(named: "rewards.hidden").run {
      [directory = runtime.directory] in
      var hidden: [Day: Set<String>] = [:]
      try LedgerReader.open(directory).scan(.ofTypes([.unknown])) { record in
        guard case .unknown(let unknown) = record.body, isMeant(unknown.user),
          unknown.gaps.contains(where: { outage.meets(from: $0.from, to: $0.to) })
        else { return }
        hidden[unknown.day, default: []].insert(unknown.user)
      }
      return hidden.values.reduce(0) { $0 + $1.count }
    }
  }

  /// Returns how many streaks a pardon would restore that broke on a fully observed day.
  package func fairBreaks(
    on days: ClosedRange<Day>, users: [String], zones: [String]
  ) async throws -> Int {
    let isMeant = await scope(users: users, zones: zones)
    return try await BlockingThread(named: "rewards.breaks").run {
      [directory = runtime.directory] in
      var broken: [Day: Set<String>] = [:]
      try LedgerReader.open(directory).scan(.ofTypes([.streak])) { record in
        switch record.body {
        case .streak(let streak) where days.contains(streak.day):
          if streak.what == .broken, isMeant(streak.user) {
            broken[streak.day, default: []].insert(streak.user)
          } else {
            broken[streak.day]?.remove(streak.user)
          }
        default: break
        }
      }
      return broken.values.reduce(0) { $0 + $1.count }
    }
  }

  /// Returns whether a user is one of `users` and lives in one of `zones`, each defaulting to all.
  private func scope(
    users: [String], zones: [String]
  ) async -> @Sendable (String) -> Bool {
    let users = Set(users)
    let inZones = await runtime.writer.scan { state in
      zones.isEmpty
        ? nil
        : Set(
          state.ledger.accounts.filter { zones.contains(state.ledger.zone(of: $0)) }.map(\.id))
    }
    return { (users.isEmpty || users.contains($0)) && inZones?.contains($0) ?? true }
  }
}

extension ExcuseRecord {
  /// The days, or the outage, as `FROM..TO`.
  var period: String { outage.map { "\($0.from)..\($0.to)" } ?? "\(from)..\(to)" }

  /// Creates the record of an outage, with the days that it can affect in any zone.
  package init(outage: Outage, reason: String, actor: String) {
    func day(of instant: Instant, plus days: Int32) -> Day {
      Day(number: Int32(clamping: instant.seconds / 86_400)).adding(days: days)
    }
    self.init(
      from: day(of: outage.from, plus: -2), to: day(of: outage.to, plus: 2), reason: reason,
      actor: actor)
    self.outage = outage
  }
}
