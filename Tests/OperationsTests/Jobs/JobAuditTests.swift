import CivilTime
import Ledger
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// What an audit makes of the records.
@Suite(.offThePool) struct JobAuditTests {
  private static let nightly =
    #"{"name":"n","schedule":"30 0 * * *","timeZone":"Asia/Tokyo","do":["reconcile"]}"#
  private static let firstDay = Day(number: 20_774)
  /// The fires of the table: one before the one at hand, so that the job is in use, and the one at hand.
  private static let before = "2026-11-18T15:30:00Z"
  private static let nominal = "2026-11-19T15:30:00Z"

  /// What is found of `records`; of the first `known` of them only what they come to is known, as behind a checkpoint.
  private func audit(
    _ job: String, now: String, _ records: [(at: String, body: RecordBody)], knowing known: Int = 0
  ) throws -> [JobAudit.Finding] {
    let job = try JobFile.parse(Array(job.utf8), zones: TestPlace.zones).get()
    let now = try JobScene.instant(now)
    let lines = try records.enumerated().map { index, record in
      Record(seq: UInt64(index + 1), at: try JobScene.instant(record.at), body: record.body)
    }
    var state = LedgerState()
    for line in lines.prefix(known) { state.apply(line) }
    state = try StateSnapshot.read(StateSnapshot.write(state))
    var audit =
      known == 0
      ? JobAudit(jobs: [job], zones: TestPlace.zones, now: now)
      : JobAudit(jobs: [job], zones: TestPlace.zones, now: now, after: state)
    for line in lines.dropFirst(known) { audit.add(line) }
    return audit.findings(from: .earliest, to: .latest)
  }

  private func user(
    _ id: String, _ zone: String, from: String, since: Day? = nil, takesEffect: Day? = nil,
    removed: Bool = false
  ) throws -> RecordBody {
    .user(
      UserRecord(
        user: id, zone: zone, from: try JobScene.instant(from), since: since,
        takesEffect: takesEffect, removed: removed))
  }

  private func run(
    _ zone: String, _ nominal: String, _ local: String, actual: String? = nil,
    _ outcome: String = "done", _ reason: String? = nil, schedule: String? = nil
  ) throws -> RecordBody {
    .run(
      RunRecord(
        job: "n", zone: zone, nominal: try JobScene.instant(nominal), nominalLocal: local,
        schedule: schedule, actual: try JobScene.instant(actual ?? nominal), outcome: outcome,
        reason: reason,
        counts: []))
  }

  struct Row: Sendable {
    let verdict: JobAudit.Verdict
    var now = "2026-11-20T12:00:00Z"
    /// Actual time, outcome and reason of each record of the fire.
    var records: [(actual: String, outcome: String, reason: String?)] = []
  }

  private static func row(
    _ verdict: JobAudit.Verdict, _ actual: String, _ outcome: String = "done",
    _ reason: String? = nil
  ) -> Row {
    Row(verdict: verdict, records: [(actual, outcome, reason)])
  }

  @Test(arguments: [
    row(.onTime, nominal), row(.onTime, "2026-11-19T15:35:00Z", "attention"),
    row(.late, "2026-11-19T15:35:01Z"), row(.late, "2026-11-19T16:30:00Z"),
    row(.caughtUp, "2026-11-19T16:30:01Z"), row(.caughtUp, "2026-11-21T03:00:00Z", "attention"),
    row(.overlap, nominal, "skipped", "overlap: the previous run lasted until …"),
    row(.paused, nominal, "skipped", "paused by tester: moving"),
    row(.failed, nominal, "timeout", "stopped after 7200 s"), row(.failed, nominal, "failed"),
    row(.missed, "2026-11-22T00:00:00Z", "missed", "not run within 129600 s of its time"),
    Row(verdict: .pending), Row(verdict: .pending, now: "2026-11-21T03:30:00Z"),
    Row(verdict: .missed, now: "2026-11-21T03:30:01Z"),
    Row(verdict: .doubled, records: [(nominal, "done", nil), (nominal, "done", nil)]),
    Row(verdict: .doubled, records: [(nominal, "skipped", "paused"), (nominal, "done", nil)]),
  ])
  func eachFireIsClassified(row: Row) throws {
    var records = [
      (
        "2026-11-18T00:00:00Z",
        try user("ann", "Asia/Tokyo", from: Self.before, since: Self.firstDay)
      ),
      (Self.before, try run("Asia/Tokyo", Self.before, "2026-11-19T00:30")),
    ]
    for record in row.records {
      records.append(
        (
          Self.nominal,
          try run(
            "Asia/Tokyo", Self.nominal, "2026-11-20T00:30", actual: record.actual, record.outcome,
            record.reason)
        ))
    }
    let findings = try audit(Self.nightly, now: row.now, records)
    let finding = try #require(findings.dropFirst().first)
    #expect(findings[0].verdict == .onTime)
    #expect(finding.verdict == row.verdict)
    #expect(finding.fire.fire.nominalLocal.description == "2026-11-20T00:30")
    #expect(finding.reason == row.records.first?.reason)
    #expect((finding.actual == nil) == row.records.isEmpty)
  }

  /// The job ran at 01:15 until it was moved to 00:30: no night of before is missed, one of after is.
  @Test func aScheduleThatWasChangedCountsFromThen() throws {
    var records = [
      (
        "2026-11-14T00:00:00Z",
        try user("ann", "Asia/Tokyo", from: "2026-11-14T15:00:00Z", since: Self.firstDay)
      )
    ]
    for (day, time, local) in [
      (15, "16:15", "01:15"), (16, "16:15", "01:15"), (18, "15:30", "00:30"),
    ] {
      let at = "2026-11-\(day)T\(time):00Z"
      records.append((at, try run("Asia/Tokyo", at, "2026-11-\(day + 1)T\(local)")))
    }
    let findings = try audit(Self.nightly, now: "2026-11-30T00:00:00Z", records)
    let missed = findings.filter { $0.verdict == .missed }.map {
      $0.fire.fire.nominalLocal.description
    }
    #expect(missed.prefix(2) == ["2026-11-18T00:30", "2026-11-20T00:30"])
    #expect(
      findings.first { $0.verdict == .onTime }?.fire.fire.instant.description
        == "2026-11-18T15:30:00Z")
  }

  /// The job ran at 00:30 alone until noon was added on the 19th: no noon of before is missed. A night is, whatever follows it.
  @Test func timesThatWereAddedCountFromThen() throws {
    var records = [
      (
        "2026-11-14T00:00:00Z",
        try user("ann", "Etc/UTC", from: "2026-11-15T00:00:00Z", since: Self.firstDay)
      )
    ]
    let (old, new) = ("30 0 * * *", "30 0,12 * * *")
    for (local, schedule) in [
      ("16T00:30", old), ("17T00:30", old), ("19T00:30", new), ("20T12:30", new),
      // By hand, at a time that no schedule names.
      ("22T07:11", new),
    ] {
      let at = "2026-11-\(local):00Z"
      records.append((at, try run("Etc/UTC", at, "2026-11-\(local)", schedule: schedule)))
    }
    let job = Self.nightly.replacing(old, with: new).replacing("Asia/Tokyo", with: "Etc/UTC")
    func missed(knowing known: Int) throws -> [String] {
      try audit(job, now: "2026-11-26T00:00:00Z", records, knowing: known).filter {
        $0.verdict == .missed
      }.map(\.fire.fire.nominalLocal.description).filter { $0 < "2026-11-23" }
    }
    let expected = [
      "2026-11-18T00:30", "2026-11-19T12:30", "2026-11-20T00:30", "2026-11-21T00:30",
      "2026-11-21T12:30", "2026-11-22T00:30", "2026-11-22T12:30",
    ]
    #expect(try missed(knowing: 0) == expected)
    // An audit that goes on behind a run finds what the whole finds behind it, a run that is recorded twice or not.
    for known in 2...records.count {
      guard case .run(let last) = records[known - 1].1 else { continue }
      let rest = expected.filter { $0 > last.nominalLocal }
      #expect(try missed(knowing: known) == rest, "\(known)")
      records.insert(("2026-11-25T00:00:00Z", records[1].1), at: known)
      #expect(try missed(knowing: known) == rest, "\(known), and one twice")
      records.remove(at: known)
    }
  }

  /// A zone whose first run comes after a time that was added since, and one in which none came: the job had one schedule for all.
  @Test func aScheduleIsThatOfAllZones() throws {
    let (old, new) = ("30 0 * * *", "30 0,12 * * *")
    var records = [
      (
        "2026-11-14T00:00:00Z",
        try user("ann", "Etc/UTC", from: "2026-11-15T00:00:00Z", since: Self.firstDay)
      ),
      (
        "2026-11-16T00:30:00Z",
        try run("Etc/UTC", "2026-11-16T00:30:00Z", "2026-11-16T00:30", schedule: old)
      ),
    ]
    for (id, zone) in [("bob", "Asia/Tokyo"), ("eve", "Asia/Seoul")] {
      records.append(
        (
          "2026-11-16T01:00:00Z",
          try user(id, zone, from: "2026-11-15T15:00:00Z", since: Self.firstDay)
        ))
    }
    records.append(
      (
        "2026-11-16T15:30:00Z",
        try run("Asia/Tokyo", "2026-11-16T15:30:00Z", "2026-11-17T00:30", schedule: old)
      ))
    let job = Self.nightly.replacing(old, with: new).replacing("Asia/Tokyo", with: "user")
    let missed = try audit(job, now: "2026-11-20T00:00:00Z", records).filter {
      $0.verdict == .missed
    }
    #expect(missed.allSatisfy { $0.fire.fire.nominalLocal.description.hasSuffix("T00:30") })
    #expect(Set(missed.map(\.fire.zone)) == ["Etc/UTC", "Asia/Tokyo", "Asia/Seoul"])
  }

  @Test func lateCountsFromTheJitteredTime() throws {
    let job = String(Self.nightly.dropLast()) + #","jitter":"9h"}"#
    let parsed = try JobFile.parse(Array(job.utf8), zones: TestPlace.zones).get()
    let zone = try TestPlace.zones.zone(named: "Asia/Tokyo")
    let fire = Fire(
      instant: try JobScene.instant(Self.nominal),
      nominalLocal: try #require(LocalDateTime("2026-11-20T00:30")))
    let jitter = parsed.jitter(of: fire, in: zone)
    try #require(jitter > 300)
    let actual = fire.instant.adding(seconds: jitter + 300).description
    let findings = try audit(
      job, now: "2026-11-20T12:00:00Z",
      [
        (
          "2026-11-18T00:00:00Z",
          try user("ann", "Asia/Tokyo", from: Self.before, since: Self.firstDay)
        ),
        (actual, try run("Asia/Tokyo", Self.nominal, "2026-11-20T00:30", actual: actual)),
      ])
    #expect(findings.map(\.verdict) == [.onTime])
  }

  /// The clock goes back on 2026-11-01 in New York: 01:00 is there twice, and so is the fire.
  @Test func anHourThatIsThereTwiceIsNotDoubled() throws {
    let job = #"{"name":"n","schedule":"0 * * * *","timeZone":"user","do":["reconcile"]}"#
    let zone = "America/New_York"
    var records = [
      (
        "2026-11-01T04:30:00Z",
        try user("ann", zone, from: "2026-11-01T04:00:00Z", since: Self.firstDay)
      )
    ]
    for (hour, local) in [(5, "01"), (6, "01"), (7, "02")] {
      let at = "2026-11-01T0\(hour):00:00Z"
      records.append((at, try run(zone, at, "2026-11-01T\(local):00")))
    }
    let findings = try audit(job, now: "2026-11-01T07:30:00Z", records)
    #expect(findings.map(\.verdict) == [.onTime, .onTime, .onTime])
    records.append(
      ("2026-11-01T07:10:00Z", try run(zone, "2026-11-01T06:00:00Z", "2026-11-01T01:00")))
    let again = try audit(job, now: "2026-11-01T07:30:00Z", records)
    #expect(again.map(\.verdict) == [.onTime, .doubled, .onTime])
  }

  /// A zone is expected to run while it has users: not before, and not once the last has left.
  @Test func onlyZonesWithUsersAreExpectedToRun() throws {
    let job = #"{"name":"n","schedule":"30 0 * * *","timeZone":"user","do":["reconcile"]}"#
    let records = [
      (
        "2026-11-18T00:00:00Z",
        try user("ann", "Asia/Tokyo", from: Self.before, since: Self.firstDay)
      ),
      (Self.before, try run("Asia/Tokyo", Self.before, "2026-11-19T00:30")),
      (
        "2026-11-18T20:00:00Z",
        try user("ann", "Asia/Tokyo", from: "2026-11-18T20:00:00Z", removed: true)
      ),
      (
        "2026-11-22T00:00:00Z",
        try user("ann", "Asia/Tokyo", from: "2026-11-21T15:00:00Z", since: Self.firstDay)
      ),
      ("2026-11-22T15:31:00Z", try run("Asia/Tokyo", "2026-11-22T15:30:00Z", "2026-11-23T00:30")),
    ]
    let findings = try audit(job, now: "2026-11-23T00:00:00Z", records)
    #expect(
      findings.map(\.fire.fire.nominalLocal.description) == [
        "2026-11-19T00:30", "2026-11-23T00:30",
      ]
    )
    #expect(findings.allSatisfy { $0.verdict == .onTime })
  }

  /// The last user leaves after the nominal time, before the jitter lets the fire begin.
  @Test func aFireWhoseUsersLeftBeforeItBeganIsNotMissed() throws {
    let job =
      #"{"name":"n","schedule":"30 0 * * *","timeZone":"user","do":["reconcile"],"jitter":"9h"}"#
    let joined = try user("ann", "Asia/Tokyo", from: Self.before, since: Self.firstDay)
    let first = try run("Asia/Tokyo", Self.before, "2026-11-19T00:30")
    let left = try user("ann", "Asia/Tokyo", from: Self.nominal, removed: true)
    var verdicts: [[JobAudit.Verdict]] = []
    for leaving in ["2026-11-19T15:30:01Z", "2026-11-20T00:30:00Z"] {
      verdicts.append(
        try audit(
          job, now: "2026-11-25T00:00:00Z",
          [("2026-11-18T00:00:00Z", joined), (Self.before, first), (leaving, left)]
        ).map(\.verdict))
    }
    #expect(verdicts == [[.onTime], [.onTime, .missed]])
  }

  /// A move takes effect while nobody runs; fires of the zone that was left are recorded until that is known, and not after.
  @Test func whatComesDueAfterTheLastUserMovedAwayIsNotMissed() throws {
    let job = #"{"name":"n","schedule":"30 0 * * *","timeZone":"user","do":["reconcile"]}"#
    let joined = (
      "2026-11-17T00:00:00Z",
      try user("ann", "Asia/Tokyo", from: "2026-11-16T15:00:00Z", since: Self.firstDay)
    )
    let moved = (
      "2026-11-18T12:00:00Z", try user("ann", "America/New_York", from: "2026-11-18T12:00:00Z")
    )
    func verdicts(since effect: String, recordedAt awake: String = "2026-11-23T00:00:00Z") throws
      -> [JobAudit.Verdict]
    {
      let effective = try user(
        "ann", "America/New_York", from: effect, takesEffect: Self.firstDay.adding(days: 2))
      let records = [
        joined,
        ("2026-11-17T15:30:00Z", try run("Asia/Tokyo", "2026-11-17T15:30:00Z", "2026-11-18T00:30")),
        moved, (awake, effective),
        (awake, try run("Asia/Tokyo", Self.before, "2026-11-19T00:30", actual: awake)),
      ]
      return try audit(job, now: awake, records).filter { $0.fire.zone == "Asia/Tokyo" }.map(
        \.verdict)
    }
    #expect(try verdicts(since: "2026-11-19T05:00:00Z") == [.onTime, .caughtUp])
    #expect(
      try verdicts(since: "2026-11-20T05:00:00Z") == [.onTime, .caughtUp, .missed])
    // The fire of 2026-11-19T15:30:00Z may be run until 36 hours later.
    #expect(
      try verdicts(since: "2026-11-20T05:00:00Z", recordedAt: "2026-11-21T03:30:00Z") == [
        .onTime, .caughtUp,
      ])
    #expect(
      try verdicts(since: "2026-11-20T05:00:00Z", recordedAt: "2026-11-21T03:30:01Z") == [
        .onTime, .caughtUp, .missed,
      ])
  }
}
