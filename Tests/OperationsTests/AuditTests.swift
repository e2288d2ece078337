import AuditPage
import CivilTime
import Configuration
import Digests
import Failures
import Foundation
import Foundations
import Ledger
import LedgerStore
import RewardRules
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// Every check finds a planted fault of its kind, and all are silent on a healthy ledger.
@Suite(.offThePool) struct AuditTests {
  /// An audit of all days at once found something else than one that forgets each after its close.
  private struct Otherwise: Error {
    let atOnce: AuditReport
    let dayByDay: AuditReport
  }

  private func audit(
    _ place: TestPlace, at text: String = "2026-11-16T01:00:00Z", outside: [OutsideBalance] = []
  ) async throws -> AuditReport {
    let clock = FixedClock(at: try InstantText.parse(text).instant)
    var audit = try Audit(place.configuration(), place.environment(clock), outside: outside)
    // All days at once, or each at its close: what is found is the same.
    audit.daysHeld = .max
    let atOnce = try await audit.run()
    audit.daysHeld = 1
    let dayByDay = try await audit.run()
    if !atOnce.isSame(as: dayByDay) { throw Otherwise(atOnce: atOnce, dayByDay: dayByDay) }
    return dayByDay
  }

  /// The ids of the checks that found something.
  private func found(_ report: AuditReport) -> [Int] {
    report.checks.filter { !$0.passed }.map(\.id)
  }

  @Test func aHealthyLedgerPassesEveryCheck() async throws {
    let place = try await AuditScene.healthy()
    let report = try await audit(place)
    #expect(found(report) == [])
    #expect(report.checks.map(\.id) == Array(1...15) + [21])
    let examined = Dictionary(uniqueKeysWithValues: report.checks.map { ($0.id, $0.examined) })
    // Comments, logins, and the reward of the second level for all but one.
    #expect(examined[4] == (20 * 6 - 1) * 2 + 19)
    #expect(examined[5] == 20 * 6)
    // A colour on the second and one on the fourth day, and the label of the second level.
    #expect(examined[7] == 20 + 20 + 19)
    #expect(examined[8] == 6)
    #expect(examined[14] == 20 * 6 - 1)
    // Written anew without a change it is as healthy.
    try AuditScene.rewrite(place) { $0 }
    #expect(found(try await audit(place)) == [])
  }

  @Test(arguments: AuditScene.Plant.allCases) func aPlantedFaultIsFound(_ plant: AuditScene.Plant)
    async throws
  {
    let place = try await AuditScene.healthy()
    try AuditScene.rewrite(place) { bodies in
      var isDone = false
      return bodies.flatMap { body -> [RecordBody] in
        guard !isDone, let changed = AuditScene.planted(plant, in: body) else { return [body] }
        isDone = true
        return changed
      }
    }
    let report = try await audit(place)
    let id = plant.check
    #expect(found(report).contains(id), "\(plant): \(found(report))")
    let finding = report.checks.first { $0.id == id }?.findings.first
    #expect(finding?.text.isEmpty == false)
  }

  /// What one person gave that takes two is a finding, by the limits at its line; what two agreed on is none.
  @Test func whatOnePersonGaveBeyondTheLimitsIsFound() async throws {
    let place = try await AuditScene.healthy()
    func give(_ points: Int64, _ id: String, by people: [String]) async throws {
      try await place.at("2026-11-16T00:40:00Z") { runtime in
        var reward = Reward()
        reward.points = points
        let act = BigAct.gift(reward, under: "u3/manual/\(id)", reason: "prize")
        for (actor, approving) in zip(people, [nil, act.id]) {
          _ = try? await runtime.secondActor.carryOut(act, approving: approving, actor: actor) {
            [reward] request in
            try await ManualGift(runtime.writer).give(
              reward, to: "u3", id: id, reason: "prize", actor: actor, request: request)
          }
        }
      }
    }
    func hands() async throws -> AuditReport.Check? {
      try await audit(place).checks.first { $0.id == 15 }
    }
    try await give(20_000, "agreed", by: ["alice", "bob"])
    try await give(10_000, "small", by: ["bob"])
    let sound = try #require(await hands())
    #expect(sound.passed && sound.examined == 2)
    // As if nobody had been asked.
    try AuditScene.rewrite(place) { bodies in
      bodies.compactMap { body in
        guard case .operator(var act) = body else { return body }
        if act.act == .request || act.act == .approve { act.subject = "another" }
        return .operator(act)
      }
    }
    let found = try #require(await hands())
    #expect(!found.passed)
    #expect(found.findings.contains { $0.text.contains("20000 points") && $0.user == "u3" })
    #expect(!found.findings.contains { $0.key == "u3/manual/small" })
  }

  /// Users are examined share by share; into how many they are divided makes no difference.
  @Test(arguments: [AuditScene.Plant.points, .missing, .close, .link, .outlier])
  func sharesFindTheSame(_ plant: AuditScene.Plant) async throws {
    let place = try await AuditScene.healthy()
    try AuditScene.rewrite(place) { bodies in
      bodies.flatMap { AuditScene.planted(plant, in: $0) ?? [$0] }
    }
    let clock = FixedClock(at: try InstantText.parse("2026-11-16T01:00:00Z").instant)
    let outside = try OutsideBalance.read(
      Array("{\"user\":\"u3\",\"points\":1}\n{\"user\":\"nobody\",\"points\":1}\n".utf8), of: "b")
    var audit = try Audit(place.configuration(), place.environment(clock), outside: outside)
    audit.shares = 1
    let whole = try await audit.runForPage()
    // What is shown as given is what the balances say that users have.
    #expect(whole.figures.given.all.amounts.points == whole.figures.totals.amounts.points)
    #expect(whole.figures.given.all.amounts.coins == whole.figures.totals.amounts.coins)
    #expect(!whole.figures.zones.isEmpty && whole.figures.grantedAfter.total > 0)
    for shares in [2, 3, 7] {
      audit.shares = shares
      audit.daysHeld = shares - 1
      let divided = try await audit.runForPage()
      #expect(whole.report.isSame(as: divided.report), "\(plant), \(shares) shares")
      #expect(divided.figures.totals.amounts.points == whole.figures.totals.amounts.points)
      #expect(divided.figures.days.map(\.missions) == whole.figures.days.map(\.missions))
      #expect(divided.figures.streaks == whole.figures.streaks)
      #expect(divided.figures.zones == whole.figures.zones)
      #expect(divided.figures.unknownDays == whole.figures.unknownDays)
      #expect(divided.figures.endedStreaks == whole.figures.endedStreaks)
      #expect(divided.figures.seenAfter == whole.figures.seenAfter)
      #expect(divided.figures.elsewhere == whole.figures.elsewhere)
      #expect(
        divided.previous?.totals == whole.figures.totals.named.reduce(into: [:]) { $0[$1.0] = $1.1 }
      )
    }
  }

  @Test func aFlippedBitLeavesOutWhatNeedsWholeLines() async throws {
    let place = try await AuditScene.healthy()
    let name = "data/ledger/00000000000000000001.jsonl"
    var bytes = Array(place.read(name).utf8)
    bytes[bytes.count / 2] ^= 1
    try place.write(name, String(decoding: bytes, as: UTF8.self))
    let report = try await audit(place)
    #expect(!report.passed)
    #expect(report.checks.count { $0.leftOut != nil } == 13)
  }

  /// Whoever can write files can seal them as well: what no record says is found all the same, and named.
  @Test(arguments: [("\"coins\":0,", ""), ("\"mission\":\"comment\"", "\"mission\":7")])
  func aSealedLineThatIsNoRecordIsFound(old: String, new: String) async throws {
    let place = try await AuditScene.healthy()
    var isDone = false
    try AuditScene.rewriteLines(place) { line in
      guard !isDone, line.contains("/comment\""), line.contains(old) else { return line }
      isDone = true
      return line.replacing(old, with: new)
    }
    let report = try await audit(place)
    #expect(report.checks.prefix(3).map(\.passed) == [true, false, true])
    #expect(report.checks[1].findings.first?.seq != nil)
    #expect(report.checks.count { $0.leftOut != nil } == 13)
    // A whole one that is sealed anew is as healthy as before.
    let other = try await AuditScene.healthy()
    try AuditScene.rewriteLines(other) { $0 }
    #expect(found(try await audit(other)) == [])
  }

  @Test func grantsThatNoSinkGetsAreFoundAfterADay() async throws {
    let place = try await AuditScene.healthy()
    try place.configure(TestPlace.Settings())
    #expect(found(try await audit(place, at: "2026-11-18T00:00:00Z")) == [10])
  }

  @Test func aRunThatIsMissingIsFound() async throws {
    let place = try await AuditScene.healthy()
    try place.write(
      "jobs/nightly.json",
      """
      {"name": "nightly", "schedule": "30 0 * * *", "timeZone": "UTC", "do": ["reconcile"]}
      """)
    let nominal = try InstantText.parse("2026-11-11T00:30:00Z").instant
    try AuditScene.rewrite(place) { bodies in
      bodies + [
        .run(
          RunRecord(
            job: "nightly", zone: "UTC", nominal: nominal, nominalLocal: "2026-11-11T00:30",
            actual: nominal, outcome: "done", reason: nil, counts: []))
      ]
    }
    let report = try await audit(place)
    #expect(found(report) == [11])
    // The later ones may still be made up for.
    #expect(report.checks[10].found == 3)
  }

  @Test func aSnapshotOfAnotherStateIsFound() async throws {
    let place = try await AuditScene.healthy()
    var state = try await StateReading.read(LedgerReader.open(place.directory))
    let store = try LedgerStore.open(
      LedgerConfiguration(directory: place.directory, program: "test", command: "test"),
      LedgerStore.Dependencies(
        clock: { Instant(seconds: 1_800_000_000) }, randomBytes: { Array(repeating: 7, count: $0) })
    )
    state.apply(
      Record(
        seq: store.head.seq, at: state.at,
        body: .credit(CreditRecord(user: "u3", Credit(effective: state.at, exp: 99)))))
    try store.writeSnapshot(payload: StateSnapshot.write(state), at: store.head)
    store.close()
    let report = try await audit(place)
    #expect(found(report) == [12])
    #expect(report.checks[11].findings.first?.user == "u3")
  }

  /// As after a restore: the whole ledger is read, and nothing is appended before the snapshot.
  @Test func aSnapshotOfAStateThatWasOnlyReadIsRight() async throws {
    let place = try await AuditScene.healthy()
    try place.remove("data/state")
    let now = try InstantText.parse("2026-11-17T01:00:00Z").instant
    let runtime = try await place.open(FixedClock(at: now))
    let credit =
      "{\"user\":\"u3\",\"kind\":\"credit\",\"at\":\"\(now)\",\"coins\":3,\"id\":\"c\"}\n"
    _ = try await Ingestion(runtime).run(Array(credit.utf8), name: "credit.jsonl")
    let (state, head) = try await runtime.writer.snapshot()
    let store = try #require(runtime.store)
    try store.writeSnapshot(payload: StateSnapshot.write(state), at: head)
    await runtime.close()
    let report = try await audit(place)
    #expect(found(report) == [] && report.checks[11].examined == 1)
  }

  @Test func balancesFromOutsideAreCompared() async throws {
    let place = try await AuditScene.healthy()
    let state = try await StateReading.read(LedgerReader.open(place.directory))
    let right = try #require(state.balance(of: "u1")).points
    let text = """
      {"user":"u1","points":\(right)}
      {"user":"u2","points":\(right + 7),"coins":0}

      {"user":"nobody","points":1}
      """
    let outside = try OutsideBalance.read(Array(text.utf8), of: "b")
    let report = try await audit(place, outside: outside)
    #expect(found(report) == [13])
    #expect(report.checks[12].examined == 3 && report.checks[12].found == 2)
    #expect(report.checks[12].findings[0].text.contains("7 too many there"))
    let problem = #expect(throws: Failure.self) {
      try OutsideBalance.read(Array("{\"user\":\"a\",\"exp\":1}\n{}\n".utf8), of: "b")
    }
    #expect(problem?.place == "b, line 2")
  }

  @Test(arguments: [
    ("{\"user\":\"a\",\"pionts\":1}", "\"points\""), ("{\"user\":\"a\"}", "gives none of"),
    ("{\"user\":\"a\",\"points\":1,\"level\":2}", "\"level\""),
  ])
  func aLineThatComparesNothingIsAnError(line: String, word: String) throws {
    let problem = #expect(throws: Failure.self) {
      try OutsideBalance.read(Array(line.utf8), of: "b")
    }
    #expect(problem?.cause.contains(word) == true)
  }

  /// An audit by other means would only accuse the innocent.
  @Test func anotherDrawSecretStopsItBeforeItAccusesAnybody() async throws {
    let place = try await AuditScene.healthy()
    try place.write("draw-secret", "another secret than the ledger's", isSecret: true)
    let problem = await #expect(throws: RuntimeError.self) { try await audit(place) }
    #expect(problem?.kind == .configuration)
  }

  @Test func whoIsWrongIsToldThreeWays() async throws {
    let place = try await AuditScene.healthy()
    let right = try #require(
      try await StateReading.read(LedgerReader.open(place.directory)).balance(of: "u1")
    ).points
    try AuditScene.rewrite(place) { bodies in
      var isDone = false
      return bodies.map { body in
        guard case .grant(var grant) = body, !isDone, grant.user == "u1",
          grant.mission == "comment"
        else { return body }
        isDone = true
        grant.reward.points += 3
        return .grant(grant)
      }
    }
    let expected = [
      (right, "the ledger is wrong"), (right + 3, "the other system agrees with it"),
      (right + 9, "all three differ"),
    ]
    for (points, text) in expected {
      let outside = try OutsideBalance.read(
        Array("{\"user\":\"u1\",\"points\":\(points)}".utf8), of: "b")
      let report = try await audit(place, outside: outside)
      let finding = try #require(report.checks[12].findings.first)
      #expect(finding.text.hasSuffix(text), "\(finding.text)")
    }
  }

  private func job(_ command: String) throws -> Job {
    let text = """
      {"name": "j", "schedule": "0 4 * * sun", "timeZone": "UTC", "do": [\(command)]}
      """
    return try JobFile.parse(Array(text.utf8), zones: TestPlace.zones).get()
  }

  @Test func theAuditRunsAsAJobAndLeavesItsCounts() async throws {
    let place = try await AuditScene.healthy()
    let now = try InstantText.parse("2026-11-16T01:00:00Z").instant
    let runtime = try await place.open(FixedClock(at: now))
    let report = try await SingleRun(runtime, try job("\"audit\"")).run(onlyDue: false)
    await runtime.close()
    guard case .audited(let audit)? = report.runs.first?.report else {
      Issue.record("no audit")
      return
    }
    #expect(audit.passed && !report.needsAttention)
    let run = try #require(try LedgerFacts(place.directory).runs.last)
    #expect(run.job == "j" && run.outcome == "done")
    #expect(run.counts.map(\.name) == ["checks", "findings"])
    #expect(run.counts.map(\.value) == [16, 0])
  }

  @Test func whomNobodyCouldSeeIsProposedUntilItIsExcused() async throws {
    var settings = TestPlace.Settings()
    settings.requiresWatermark = true
    let place = try TestPlace(settings)
    for number in 10...12 {
      let text = "2026-11-\(number)T00:30:00Z"
      let runtime = try await place.open(FixedClock(at: try InstantText.parse(text).instant))
      try await runtime.recordRules()
      try await runtime.hire("{\"user\":\"ann\"}\n{\"user\":\"ben\"}\n")
      _ = try await Reconciliation(runtime, ReconcileOrder()).run()
      await runtime.close()
    }
    let hidden = try await HiddenDays.read(LedgerReader.open(place.directory)).days
    #expect(hidden.map(\.day.description) == ["2026-11-10", "2026-11-11"])
    #expect(hidden.allSatisfy { $0.users == ["ann", "ben"] && !$0.causes.isEmpty })
    let first = hidden[0].day
    #expect(
      try await HiddenDays.read(LedgerReader.open(place.directory), days: first...first).days.count
        == 1)
    let now = try InstantText.parse("2026-11-12T01:00:00Z").instant
    let runtime = try await place.open(FixedClock(at: now))
    let proposal = try await SingleRun(runtime, try job("\"excuse\", \"--propose\"")).run(
      onlyDue: false)
    #expect(proposal.needsAttention)
    _ = try await Excuses(runtime).declare(
      ExcuseRecord(from: first, to: first, reason: "no lines came", actor: "tester"))
    await runtime.close()
    #expect(
      try await HiddenDays.read(LedgerReader.open(place.directory)).days.map(\.day) == [
        hidden[1].day
      ])
  }
}
