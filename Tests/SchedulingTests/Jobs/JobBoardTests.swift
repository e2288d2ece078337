import CivilTime
import Foundations
import Ledger
import Sandbox
import Scheduling
import TestSupport
import Testing

@Suite(.offThePool) struct JobBoardTests {
  private func job(_ members: String) throws -> Job {
    try JobFile.parse(
      Array(#"{"name":"n","timeZone":"user","do":["reconcile"],\#(members)}"#.utf8),
      zones: SchedulerFixture.zones
    ).get()
  }

  /// A job, its schedule and its zone are in force from the reading that brought them: of the time before nothing is owed.
  @Test(arguments: [
    ("0 9 * * *", "Asia/Tokyo", false), ("0 3 * * *", "Asia/Tokyo", true),
    ("0 9 * * *", "Asia/Seoul", true),
  ])
  func aNewOrChangedJobOwesNothing(schedule: String, zone: String, isChanged: Bool) async throws {
    func job(_ schedule: String, _ zone: String) throws -> Job {
      try JobFile.parse(
        Array(
          #"{"name":"n","timeZone":"\#(zone)","do":["reconcile"],"schedule":"\#(schedule)"}"#.utf8),
        zones: SchedulerFixture.zones
      ).get()
    }
    let fixture = try await SchedulerFixture(at: "2026-11-17T01:00:00Z")
    try await fixture.hire(#"{"user":"a","timezone":"Asia/Tokyo"}"#)
    func due(_ job: Job) async throws -> Int {
      let positions = await fixture.writer.positions(of: job)
      try await fixture.writer.appendBeginnings(of: job, at: positions, SchedulerFixture.zones)
      var count = 0
      for position in positions {
        for case .run(let fire) in JobBoard(jobs: [job]).decisions(
          for: job, at: position, zones: SchedulerFixture.zones, now: fixture.clock.now())
        {
          let run = fire.record(of: "done", nil, at: fixture.clock.now())
          try await fixture.writer.appendOnce(run)
          count += 1
        }
      }
      return count
    }
    let before = try job("0 9 * * *", "Asia/Tokyo")
    #expect(try await due(before) == 0, "a new job owes nothing")
    try fixture.set("2026-11-18T01:00:00Z")
    #expect(try await due(before) == 1)
    try fixture.set("2026-11-20T01:00:00Z")
    let changed = try job(schedule, zone)
    // The job as it was owes the fires of the 19th and the 20th.
    #expect(try await due(changed) == (isChanged ? 0 : 2))
    #expect(await fixture.writer.positions(of: changed).allSatisfy { !$0.isNew })
    #expect(try await due(changed) == 0)
    try fixture.set("2026-11-21T01:00:00Z")
    #expect(try await due(changed) == 1)
  }

  @Test func oneRunMayStandForAll() throws {
    let job = try job(#""schedule":"30 0 * * *","catchUp":"once""#)
    let begin = try SchedulerFixture.instant("2026-11-01T00:30:00Z")
    let position = JobPosition(
      zone: "Etc/UTC", since: begin,
      last: RunMark(nominal: begin, nominalLocal: "2026-11-01T00:30"), pause: nil)
    let decisions = JobBoard(jobs: [job]).decisions(
      for: job, at: position, zones: SchedulerFixture.zones,
      now: begin.adding(seconds: 9 * 86_400))
    #expect(decisions.map(\.outcome) == Array(repeating: "skipped", count: 8) + ["run"])
  }

  /// In the night without midnight 00:30 is the very end of the day: the fire waits until the API can tell all of that.
  @Test(arguments: [
    ("Asia/Beirut", 9, false), ("Asia/Beirut", 10, true), ("Europe/Athens", 30 * 60 - 1, false),
    ("Europe/Athens", 30 * 60, true),
  ])
  func aFireWaitsForTheLagAfterADay(zone: String, secondsAfter: Int64, isDue: Bool) throws {
    var job = try job(#""schedule":"30 0 * * *""#)
    job.lagSeconds = 10
    let midnight = try SchedulerFixture.instant("2026-03-28T22:00:00Z")
    let position = JobPosition(
      zone: zone, since: midnight.adding(seconds: -3_600), last: nil, pause: nil)
    let decisions = JobBoard(jobs: [job]).decisions(
      for: job, at: position, zones: SchedulerFixture.zones,
      now: midnight.adding(seconds: secondsAfter))
    #expect(decisions.count == (isDue ? 1 : 0))
  }

  /// However often and whenever it is asked, each fire is met once, in order, across changes of the clock.
  @Test(arguments: 0..<30) func eachFireIsMetOnce(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed), 5)
    let name = random.pick([
      "America/New_York", "Africa/Cairo", "Asia/Tokyo", "Australia/Lord_Howe",
    ])
    let zone = try SchedulerFixture.zones.zone(named: name)
    let job = try job(
      #""schedule":"\#(random.pick(["30 0 * * *", "0 */6 * * *", "15 2 * * *"]))","jitter":"2h","catchUp":"2d""#
    )
    let board = JobBoard(jobs: [job])
    let begin = try SchedulerFixture.instant("2026-10-20T00:00:00Z")
    let end = try SchedulerFixture.instant("2026-11-10T00:00:00Z")
    let recorded = RunMark(
      nominal: begin, nominalLocal: zone.localDateTime(at: begin).description)
    var position = JobPosition(zone: name, since: begin, last: recorded, pause: nil)
    var met: [Fire] = []
    var now = begin
    while now < end {
      now = now.adding(seconds: random.number(in: 60...200_000))
      let limit = random.chance(0.3) ? 1 : 1_000
      for decision in board.decisions(
        for: job, at: position, zones: SchedulerFixture.zones, now: now, limit: limit)
      {
        let fire: JobFire
        let isLate: Bool
        switch decision {
        case .run(let due): (fire, isLate) = (due, false)
        case .miss(let due, _): (fire, isLate) = (due, true)
        case .skip(let due, let reason):
          Issue.record("\(due.fire) was skipped: \(reason), seed \(seed)")
          continue
        }
        #expect(isLate == (now.seconds(since: fire.fire.instant) > 2 * 86_400), "seed \(seed)")
        #expect(fire.begin <= now && fire.begin >= fire.fire.instant, "seed \(seed)")
        met.append(fire.fire)
        position = JobPosition(
          zone: name, since: begin,
          last: RunMark(
            nominal: fire.fire.instant, nominalLocal: fire.fire.nominalLocal.description),
          pause: nil)
      }
      let next = board.nextFire(of: job, at: position, zones: SchedulerFixture.zones, now: now)?
        .begin
      if limit > 1 { #expect(try #require(next) > now, "seed \(seed)") }
    }
    var expected: [Fire] = []
    var last = begin
    while let fire = job.nextFire(after: last, in: zone),
      fire.instant <= met.last?.instant ?? last
    {
      expected.append(fire)
      last = fire.instant
    }
    #expect(met == expected, "seed \(seed)")
    #expect(met.count > 15)
  }

  @Test func jitterIsTheSameEverywhereAndStaysBeforeTheNextFire() throws {
    let job = try job(#""schedule":"*/5 * * * *","jitter":"1h""#)
    let zone = try SchedulerFixture.zones.zone(named: "Asia/Tokyo")
    var at = try SchedulerFixture.instant("2026-11-20T00:00:00Z")
    var seen: Set<Int64> = []
    for _ in 0..<500 {
      let fire = try #require(job.nextFire(after: at, in: zone))
      let jitter = job.jitter(of: fire, in: zone)
      #expect((0..<300).contains(jitter))
      #expect(jitter == job.jitter(of: fire, in: zone))
      seen.insert(jitter)
      at = fire.instant
    }
    #expect(seen.count > 150)
  }

  @Test func withoutJitterTheRunBeginsOnTime() throws {
    let job = try job(#""schedule":"30 0 * * *""#)
    let position = JobPosition(
      zone: "Asia/Tokyo", since: try SchedulerFixture.instant("2026-11-20T00:00:00Z"), last: nil,
      pause: nil)
    let board = JobBoard(jobs: [job])
    let noon = try SchedulerFixture.instant("2026-11-20T12:00:00Z")
    let begin = board.nextFire(of: job, at: position, zones: SchedulerFixture.zones, now: noon)?
      .begin
    #expect(begin == (try SchedulerFixture.instant("2026-11-20T15:30:00Z")))
    let early = try SchedulerFixture.instant("2026-11-20T15:29:59Z")
    #expect(
      board.decisions(for: job, at: position, zones: SchedulerFixture.zones, now: early) == [])
  }

  @Test func disabledJobsAndUnknownZonesHaveNoFires() throws {
    let now = try SchedulerFixture.instant("2026-11-21T00:00:00Z")
    let after = try SchedulerFixture.instant("2026-11-19T00:00:00Z")
    let off = try job(#""schedule":"30 0 * * *","enabled":false"#)
    let on = try job(#""schedule":"30 0 * * *""#)
    let board = JobBoard(jobs: [off, on])
    let tokyo = JobPosition(zone: "Asia/Tokyo", since: after, last: nil, pause: nil)
    let mars = JobPosition(zone: "Mars/Olympus", since: after, last: nil, pause: nil)
    #expect(board.decisions(for: off, at: tokyo, zones: SchedulerFixture.zones, now: now) == [])
    #expect(board.nextFire(of: off, at: tokyo, zones: SchedulerFixture.zones, now: now) == nil)
    #expect(board.decisions(for: on, at: mars, zones: SchedulerFixture.zones, now: now) == [])
    #expect(board.decisions(for: on, at: tokyo, zones: SchedulerFixture.zones, now: now).count == 2)
  }
}
