import CivilTime
import Ledger
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// The jobs of a service: every fire leaves one record, whatever is in its way.
@Suite(.offThePool) struct JobRunnerTests {
  private static let ann = #"{"user":"ann","timezone":"Asia/Tokyo","since":"2026-11-19"}"#
  private static let bob = #"{"user":"bob","timezone":"Europe/Berlin","since":"2026-11-19"}"#
  private static let often =
    #"{"name":"n","schedule":"*/10 * * * *","timeZone":"user","do":["reconcile"]"#

  @Test func firesOncePerZoneAndDate() async throws {
    let scene = try await JobScene(
      [JobScene.nightly], at: "2026-11-19T12:00:00Z", roster: [Self.ann, Self.bob])
    try await scene.serve(until: "2026-11-22T12:00:00Z")
    let nights = ["20", "21", "22"].map { "2026-11-\($0)T00:30" }
    for zone in ["Asia/Tokyo", "Europe/Berlin"] {
      #expect(scene.history(in: zone).map { String($0.prefix(16)) } == nights)
      #expect(scene.runs.filter { $0.zone == zone }.allSatisfy { $0.actual == $0.nominal })
    }
    #expect(scene.audit().count == 6)
    #expect(scene.audit().allSatisfy { $0.verdict == .onTime })
    #expect(Set(scene.closes).count == 6 && scene.closes.count == 6)
  }

  /// A job that is read for the first time owes nothing of the days that are open, in none of its zones.
  @Test func aNewJobIsNewInAllItsZones() async throws {
    let scene = try await JobScene(
      [JobScene.nightly], at: "2026-11-22T12:00:00Z",
      roster: [
        Self.ann, Self.bob, #"{"user":"eve","timezone":"Africa/Cairo","since":"2026-11-19"}"#,
      ],
      isInForce: false)
    await scene.runDue()
    await scene.runDue()
    #expect(scene.runs == [])
    try await scene.serve(until: "2026-11-23T12:00:00Z")
    for zone in ["Africa/Cairo", "Asia/Tokyo", "Europe/Berlin"] {
      #expect(scene.history(in: zone) == ["2026-11-23T00:30 done"], "\(zone)")
    }
  }

  /// A process that dies at an append, before or after it reached the disk, for every append of three days in which
  /// one user moves.
  @Test(arguments: DyingLedger.Moment.allCases)
  func aCrashNeitherLosesNorRepeats(moment: DyingLedger.Moment) async throws {
    var crashes = 0
    while true {
      let scene = try await JobScene(
        [JobScene.nightly], at: "2026-11-19T12:00:00Z", roster: [Self.ann, Self.bob])
      try await scene.take([Self.bob, #"{"user":"ann","timezone":"Asia/Kolkata"}"#])
      scene.ledger.die(at: crashes + 1, moment)
      try await scene.serve(until: "2026-11-22T12:00:00Z")
      let fires = scene.runs.map { "\($0.zone) \($0.nominalLocal)" }
      #expect(Set(fires).count == fires.count, "append \(crashes + 1)")
      #expect(Set(scene.closes).count == scene.closes.count, "append \(crashes + 1)")
      #expect(scene.closes.count { $0.hasPrefix("Europe") } == 3)
      #expect(scene.history(in: "Europe/Berlin").count == 3, "append \(crashes + 1)")
      #expect(scene.history(in: "Asia/Kolkata").count == 3, "append \(crashes + 1)")
      let verdicts = scene.audit().map(\.verdict)
      #expect(verdicts.allSatisfy { $0 == .onTime }, "append \(crashes + 1)")
      // The last of them dies at no append.
      if !scene.place.log.contains(where: { $0.contains("still due") }) { break }
      crashes += 1
    }
    #expect(crashes > 6)
  }

  @Test func whatWasMissedIsCaughtUpOldestFirst() async throws {
    let scene = try await JobScene(
      [JobScene.nightly], at: "2026-11-18T12:00:00Z",
      roster: [#"{"user":"ann","timezone":"Asia/Tokyo","since":"2026-11-18"}"#])
    try await scene.serve(until: "2026-11-18T16:00:00Z")
    try await scene.sleep(until: "2026-11-22T04:00:00Z")
    try await scene.restart()
    await scene.runDue()
    #expect(
      scene.history(in: "Asia/Tokyo").dropFirst() == [
        "2026-11-20T00:30 missed", "2026-11-21T00:30 missed", "2026-11-22T00:30 done",
      ])
    #expect(scene.runs.last?.nominal == (try JobScene.instant("2026-11-21T15:30:00Z")))
    #expect(scene.runs.last?.actual == (try JobScene.instant("2026-11-22T04:00:00Z")))
    #expect(scene.audit().map(\.verdict) == [.onTime, .missed, .missed, .caughtUp])
    // The run closes what the missed ones left open.
    #expect(scene.closes.count == 4)
  }

  /// The first run lasts from 12:00 to 12:25, over two fires.
  @Test(arguments: [
    (
      Job.Overlap.skip,
      ["12:00 done", "12:10 skipped", "12:20 skipped", "12:30 done"]
    ),
    (.queue, ["12:00 done", "12:10 done", "12:20 done", "12:30 done"]),
  ])
  func runsThatOverlap(overlap: Job.Overlap, expected: [String]) async throws {
    let scene = try await JobScene(
      [Self.often + #","overlap":"\#(overlap.rawValue)"}"#], at: "2026-11-20T11:55:00Z",
      roster: [#"{"user":"ann","timezone":"UTC","since":"2026-11-19"}"#])
    scene.ledger.slowDown(by: [1_500])
    try await scene.serve(until: "2026-11-20T12:35:00Z")
    #expect(
      scene.history(in: "Etc/UTC") + scene.history(in: "UTC")
        == expected.map { "2026-11-20T\($0)" })
    let reasons = scene.runs.filter { $0.outcome == "skipped" }.map(\.reason)
    #expect(reasons.allSatisfy { $0?.hasPrefix("overlap: ") == true })
    let skipped = scene.audit().count { $0.verdict == .overlap }
    #expect(skipped == (overlap == .skip ? 2 : 0))
  }

  /// What is being written is written; nothing is begun after it.
  @Test func aRunThatTakesTooLongIsStoppedBeforeTheNextClose() async throws {
    let scene = try await JobScene(
      [String(JobScene.nightly.dropLast()) + #","timeout":"10m"}"#], at: "2026-11-19T12:00:00Z",
      roster: [#"{"user":"ann","timezone":"Asia/Tokyo","since":"2026-11-18"}"#])
    scene.ledger.slowDown(by: [3_600])
    try await scene.serve(until: "2026-11-19T20:00:00Z")
    #expect(scene.history(in: "Asia/Tokyo") == ["2026-11-20T00:30 timeout"])
    #expect(scene.runs[0].reason == "stopped after 600 s")
    #expect(scene.closes == ["Asia/Tokyo/2026-11-18"])
    #expect(scene.audit().map(\.verdict) == [.failed])
    try await scene.serve(until: "2026-11-20T20:00:00Z")
    #expect(scene.closes == (18...20).map { "Asia/Tokyo/2026-11-\($0)" })
  }

  @Test func aPauseSurvivesARestartAndItsFiresStaySkipped() async throws {
    let scene = try await JobScene(
      [JobScene.nightly], at: "2026-11-19T12:00:00Z", roster: [Self.ann])
    try await scene.pause()
    try await scene.serve(until: "2026-11-20T12:00:00Z")
    try await scene.restart()
    let pause = try #require(await scene.runtime.writer.read { $0.ledger.jobs.pauses["n"] })
    #expect(pause.reason == "moving" && pause.actor == "tester")
    #expect(pause.since == (try JobScene.instant("2026-11-19T12:00:00Z")))
    try await scene.serve(until: "2026-11-21T12:00:00Z")
    // While nobody serves, a resume records what fell into the pause.
    try await scene.sleep(until: "2026-11-22T12:00:00Z")
    try await scene.resume()
    try await scene.restart()
    try await scene.serve(until: "2026-11-23T12:00:00Z")
    #expect(
      scene.history(in: "Asia/Tokyo") == [
        "2026-11-20T00:30 skipped", "2026-11-21T00:30 skipped", "2026-11-22T00:30 skipped",
        "2026-11-23T00:30 done",
      ])
    #expect(scene.runs[0].reason == "paused by tester: moving")
    #expect(scene.audit().map(\.verdict) == [.paused, .paused, .paused, .onTime])
  }

  /// More fires than a board decides on at a time.
  @Test func aLongPauseIsRecordedWhole() async throws {
    let scene = try await JobScene(
      [Self.often + "}"], at: "2026-11-19T12:00:00Z", roster: [Self.ann])
    try await scene.serve(until: "2026-11-19T12:15:00Z")
    try await scene.pause()
    try await scene.sleep(until: "2026-11-29T12:05:00Z")
    try await scene.resume()
    #expect(scene.runs.count { $0.outcome == "skipped" } == 10 * 144 - 1)
    await scene.runDue()
    #expect(scene.runs.count == 10 * 144)
  }

  @Test func aRunThatCannotBeWrittenIsTriedAgainAMinuteLater() async throws {
    let scene = try await JobScene(
      [JobScene.nightly], at: "2026-11-19T12:00:00Z", roster: [Self.ann])
    try await scene.sleep(until: "2026-11-19T15:30:00Z")
    scene.ledger.die(at: 1, .before)
    await scene.runDue()
    #expect(scene.runs.isEmpty && scene.closes.isEmpty)
    scene.ledger.revive()
    await scene.runDue()
    #expect(scene.runs.isEmpty)
    #expect(await scene.runner.nextBegin() == (try JobScene.instant("2026-11-19T15:31:00Z")))
    try await scene.serve(until: "2026-11-19T16:00:00Z")
    #expect(scene.history(in: "Asia/Tokyo").count == 1)
    #expect(scene.runs.first?.actual == (try JobScene.instant("2026-11-19T15:31:00Z")))
  }
}
