import CivilTime
import Ledger
import Scheduling
import TestSupport
import Testing

/// In which zones a job fires, and from when on.
@Suite(.offThePool) struct JobCohortTests {
  private static let midnight = #""schedule":"30 0 * * *""#

  private func job(_ schedule: String = midnight, zone: String = "user") throws -> Job {
    try JobFile.parse(
      Array(#"{"name":"n","timeZone":"\#(zone)","do":["reconcile"],\#(schedule)}"#.utf8),
      zones: SchedulerFixture.zones
    ).get()
  }

  /// What is due now, as `ZONE LOCAL`.
  private func due(_ job: Job, _ book: LedgerState, at now: String) throws -> [String] {
    try book.positions(of: job).flatMap { position in
      JobBoard(jobs: [job]).decisions(
        for: job, at: position, zones: SchedulerFixture.zones,
        now: try SchedulerFixture.instant(now)
      ).map { decision in
        switch decision {
        case .run(let fire), .skip(let fire, _), .miss(let fire, _):
          "\(fire.zone) \(fire.fire.nominalLocal) \(decision.outcome)"
        }
      }
    }
  }

  /// A job that was in force before anybody of these came.
  private func oldJob(_ fixture: SchedulerFixture) async throws -> Job {
    let job = try job()
    try await fixture.writer.append(
      .operator(
        OperatorRecord(
          act: .schedule, subject: "n|Etc/UTC", what: job.schedule.expression, reason: "",
          actor: "test")))
    return job
  }

  private func run(_ zone: String, _ nominal: String, _ local: String) throws -> RunRecord {
    RunRecord(
      job: "n", zone: zone, nominal: try SchedulerFixture.instant(nominal), nominalLocal: local,
      actual: try SchedulerFixture.instant(nominal), outcome: "done", reason: nil, counts: [])
  }

  /// Samoa went from 29 to 31 December 2011.
  @Test func aDateThatAZoneSkippedDoesNotFire() throws {
    let position = JobPosition(
      zone: "Pacific/Apia", since: try SchedulerFixture.instant("2011-12-28T12:00:00Z"), last: nil,
      pause: nil
    )
    let job = try job(Self.midnight + #","catchUp":"30d""#)
    let decisions = JobBoard(jobs: [job]).decisions(
      for: job, at: position, zones: SchedulerFixture.zones,
      now: try SchedulerFixture.instant("2012-01-01T12:00:00Z"))
    let days = decisions.map { decision -> String in
      if case .run(let fire) = decision { fire.fire.nominalLocal.day.description } else { "-" }
    }
    #expect(days == ["2011-12-29", "2011-12-31", "2012-01-01", "2012-01-02"])
  }

  @Test func aZoneFiresFromItsFirstUserToItsLast() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T00:00:00Z")
    let job = try await oldJob(fixture)
    #expect(await fixture.writer.positions(of: job).isEmpty)
    try await fixture.hire(#"{"user":"ann","timezone":"Asia/Tokyo"}"#)
    try fixture.set("2026-11-20T16:00:00Z")
    #expect(
      try due(job, fixture.foldedState, at: "2026-11-20T16:00:00Z") == [
        "Asia/Tokyo 2026-11-21T00:30 run"
      ])
    // Another zone's first user comes after its 00:30: nothing is owed there before the next one.
    try await fixture.hire(#"{"user":"bob","timezone":"Europe/Berlin"}"#)
    #expect(
      try due(job, fixture.foldedState, at: "2026-11-21T00:00:00Z") == [
        "Asia/Tokyo 2026-11-21T00:30 run", "Europe/Berlin 2026-11-21T00:30 run",
      ])
    _ = try await RosterImport(fixture.writer).remove(user: "ann", reason: "left", by: "tests")
    #expect(
      try due(job, fixture.foldedState, at: "2026-11-21T20:00:00Z") == [
        "Europe/Berlin 2026-11-21T00:30 run"
      ])
  }

  @Test func aZoneThatGetsUsersAgainOwesNothingForTheTimeWithout() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T00:00:00Z")
    let job = try job()
    let ann = #"{"user":"ann","timezone":"Asia/Tokyo"}"#
    try await fixture.hire(ann)
    try fixture.set("2026-11-20T16:00:00Z")
    try await fixture.writer.append(
      .run(run("Asia/Tokyo", "2026-11-20T15:30:00Z", "2026-11-21T00:30")))
    _ = try await RosterImport(fixture.writer).remove(user: "ann", reason: "left", by: "tests")
    try fixture.set("2026-11-23T12:00:00Z")
    try await fixture.hire(ann)
    #expect(try due(job, fixture.foldedState, at: "2026-11-23T15:00:00Z") == [])
    #expect(
      try due(job, fixture.foldedState, at: "2026-11-23T16:00:00Z") == [
        "Asia/Tokyo 2026-11-24T00:30 run"
      ])
  }

  /// The day that a move extends ends in the new zone; between the end of that day and the record of its run the
  /// process may die.
  @Test func aZoneThatIsMovedIntoFiresFromTheMoveOn() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T00:00:00Z")
    let job = try await oldJob(fixture)
    try await fixture.hire(#"{"user":"ann","timezone":"Asia/Tokyo"}"#)
    try fixture.set("2026-11-20T12:00:00Z")
    try await fixture.hire(#"{"user":"ann","timezone":"Europe/Berlin"}"#)
    try fixture.set("2026-11-20T23:45:00Z")
    let owed = "Europe/Berlin 2026-11-21T00:30 run"
    #expect(try due(job, fixture.foldedState, at: "2026-11-20T23:45:00Z").contains(owed))
    try await fixture.closeAll(zones: ["Europe/Berlin"])
    #expect(fixture.foldedState.users.zones.since.keys.sorted() == ["Europe/Berlin"])
    fixture.restart()
    #expect(try due(job, fixture.foldedState, at: "2026-11-20T23:46:00Z") == [owed])
    try await fixture.writer.append(
      .run(run("Europe/Berlin", "2026-11-20T23:30:00Z", "2026-11-21T00:30")))
    #expect(try due(job, fixture.foldedState, at: "2026-11-20T23:47:00Z") == [])
  }

  /// A job that names its zone fires whoever comes and goes.
  @Test func aNamedZoneGoesOnFromItsLastRecord() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T00:00:00Z")
    let job = try job(zone: "Asia/Tokyo")
    try await fixture.hire(#"{"user":"ann","timezone":"Europe/Berlin"}"#)
    try await fixture.writer.append(
      .run(run("Asia/Tokyo", "2026-11-19T15:30:00Z", "2026-11-20T00:30")))
    try fixture.set("2026-11-20T16:00:00Z")
    _ = try await RosterImport(fixture.writer).remove(user: "ann", reason: "left", by: "tests")
    try await fixture.hire(#"{"user":"bob","timezone":"Europe/Paris"}"#)
    #expect(
      try due(job, fixture.foldedState, at: "2026-11-20T16:01:00Z") == [
        "Asia/Tokyo 2026-11-21T00:30 run"
      ])
  }

  /// A new database moves the zone east by an hour after the fire of 08:00: 08:30 is at an earlier instant then.
  @Test func aFireThatANewTimeZoneDatabaseMovesBackIsDealtWithOnce() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T00:00:00Z")
    let job = try job(#""schedule":"0,30 8 * * *""#)
    try await fixture.hire(#"{"user":"ann","timezone":"Asia/Tokyo"}"#)
    try await fixture.writer.append(
      .run(run("Asia/Tokyo", "2026-11-21T00:00:00Z", "2026-11-21T08:00")))
    let now = "2026-11-21T00:30:00Z"
    #expect(try due(job, fixture.foldedState, at: now) == ["Asia/Tokyo 2026-11-21T08:30 run"])
    try await fixture.writer.appendOnce(
      run("Asia/Tokyo", "2026-11-20T23:30:00Z", "2026-11-21T08:30"))
    #expect(try due(job, fixture.foldedState, at: now) == [])
  }

  /// A fire's second record is not written; one that comes later is.
  @Test func aFireIsRecordedOnce() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T00:00:00Z")
    try await fixture.hire(#"{"user":"ann","timezone":"America/New_York"}"#)
    let zone = "America/New_York"
    let first = try run(zone, "2026-11-01T05:00:00Z", "2026-11-01T01:00")
    let sameTimeAgain = try run(zone, "2026-11-01T06:00:00Z", "2026-11-01T01:00")
    for run in [first, first, sameTimeAgain, first, sameTimeAgain] {
      try await fixture.writer.appendOnce(run)
    }
    let runs = fixture.records.compactMap {
      if case .run(let run) = $0.body { run.nominal } else { nil }
    }
    #expect(runs == [first.nominal, sameTimeAgain.nominal])
  }
}
