import CivilTime
import Ledger
import Sandbox
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// A job that cron or a timer calls.
@Suite(.offThePool) struct SingleRunTests {
  private static let ann = #"{"user":"ann","timezone":"Asia/Tokyo","since":"2026-11-19"}"#

  @Test func eachFireRunsOnceHoweverOftenItIsCalled() async throws {
    let scene = try await JobScene(
      [JobScene.nightly], at: "2026-11-19T12:00:00Z", roster: [Self.ann])
    var counts: [Int] = []
    for quarter in 0..<(2 * 96) {
      let at = try JobScene.instant("2026-11-19T12:00:00Z").adding(seconds: Int64(quarter) * 900)
      try await scene.sleep(until: "\(at)")
      try await scene.restart()
      counts.append(try await scene.runOnce().runs.count)
    }
    #expect(counts.reduce(0, +) == 2)
    #expect(
      scene.history(in: "Asia/Tokyo").map { String($0.prefix(16)) } == [
        "2026-11-20T00:30", "2026-11-21T00:30",
      ])
    #expect(scene.closes == ["Asia/Tokyo/2026-11-19", "Asia/Tokyo/2026-11-20"])
    #expect(scene.audit().allSatisfy { $0.verdict == .onTime })
  }

  @Test func withoutUsersNothingIsDueAndNothingIsRecorded() async throws {
    let scene = try await JobScene([JobScene.nightly], at: "2026-11-19T12:00:00Z", roster: [])
    try await scene.sleep(until: "2026-11-25T12:00:00Z")
    for onlyDue in [true, false] {
      let report = try await scene.runOnce(onlyDue: onlyDue)
      #expect(report.runs.isEmpty && report.passedOver == 0 && !report.needsAttention)
    }
    #expect(scene.runs.isEmpty)
  }

  /// At the nominal time or later, while the jitter still puts the fire off, a run by hand is that fire.
  @Test func aRunByHandDoesNotPassOverAFireThatItsJitterPutsOff() async throws {
    let scene = try await JobScene(
      [String(JobScene.nightly.dropLast()) + #","jitter":"5h"}"#], at: "2026-11-19T12:00:00Z",
      roster: [Self.ann])
    try await scene.sleep(until: "2026-11-19T15:30:01Z")
    #expect(try await scene.runOnce().runs.isEmpty)
    #expect(try await scene.runOnce(onlyDue: false).runs.count == 1)
    #expect(scene.history(in: "Asia/Tokyo") == ["2026-11-20T00:30 done"])
    try await scene.serve(until: "2026-11-20T12:00:00Z")
    #expect(scene.runs.count == 1)
    #expect(scene.audit().map(\.verdict) == [.onTime])
  }

  @Test func aRunByHandBetweenTwoFiresLeavesBothOfThem() async throws {
    let scene = try await JobScene(
      [JobScene.nightly], at: "2026-11-19T12:00:00Z", roster: [Self.ann])
    try await scene.sleep(until: "2026-11-19T20:00:00Z")
    #expect(try await scene.runOnce(onlyDue: false).runs.count == 1)
    try await scene.sleep(until: "2026-11-19T20:10:07Z")
    #expect(try await scene.runOnce(onlyDue: false).runs.count == 1)
    try await scene.serve(until: "2026-11-21T12:00:00Z")
    #expect(
      scene.history(in: "Asia/Tokyo").map { String($0.prefix { $0 != " " }) } == [
        "2026-11-20T00:30", "2026-11-20T05:10:07", "2026-11-21T00:30",
      ])
    #expect(scene.audit().map(\.verdict) == [.caughtUp, .onTime])
  }

  /// A service has taken the fire, and a run by hand meets it too.
  @Test func twoWhoMeetTheSameFireLeaveOneRecord() async throws {
    let scene = try await JobScene(
      [JobScene.nightly], at: "2026-11-19T12:00:00Z", roster: [Self.ann])
    try await scene.sleep(until: "2026-11-19T15:31:00Z")
    let fires = await scene.runner.claimDueFires().fires
    #expect(fires.count == 1)
    _ = try await scene.runOnce()
    scene.clock.beginWork()
    for fire in fires { await scene.runner.run(fire) }
    scene.clock.endWork()
    #expect(scene.history(in: "Asia/Tokyo") == ["2026-11-20T00:30 done"])
    #expect(scene.audit().map(\.verdict) == [.onTime])
    #expect(await scene.runner.claimDueFires().fires.isEmpty)
  }

  @Test func aCommandThatIsNotKnownIsRefused() async throws {
    let scene = try await JobScene(
      [JobScene.nightly.replacing(#"["reconcile"]"#, with: #"["fly"]"#)],
      at: "2026-11-19T12:00:00Z", roster: [Self.ann])
    await #expect(throws: RuntimeError.self) { try await scene.runOnce() }
  }
}
