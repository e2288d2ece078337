import CivilTime
import Engine
import Failures
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// Grants by hand.
@Suite(.offThePool) struct HandTests {
  private func fixture() async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z")
    try await fixture.hire(#"{"user":"ann","timezone":"UTC"}"#)
    try fixture.set("2026-11-10T12:00:00Z")
    return fixture
  }

  private func gift(points: Int64 = 0, exp: Int64 = 0, items: [String] = []) -> Reward {
    var reward = Reward()
    reward.points = points
    reward.baseExp = exp
    reward.exp = exp
    reward.items = items
    return reward
  }

  private func closeDays(_ fixture: SchedulerFixture, _ days: ClosedRange<Int>) async throws {
    for day in days {
      try fixture.set("2026-11-\(day + 1)T00:20:00Z")
      try await fixture.seeNothing()
      try await fixture.closeAll()
    }
  }

  @Test func theSameGiftIsGivenOnce() async throws {
    let fixture = try await fixture()
    for _ in 0..<3 {
      _ = try await ManualGift(fixture.writer).give(
        gift(points: 100), to: "ann", id: "cup", reason: "prize", actor: "op")
    }
    try await closeDays(fixture, 10...11)
    let late = try await ManualGift(fixture.writer).give(
      gift(points: 100), to: "ann", id: "cup", reason: "prize", actor: "op")
    #expect(late.appended == 0)
    #expect(await fixture.balance(of: "ann")?.points == 100)
    let acts = fixture.records.compactMap { record -> OperatorRecord? in
      if case .operator(let act) = record.body { act } else { nil }
    }
    #expect(acts.map(\.what) == ["100 points 0 exp 0 coins"])
    #expect(acts.map(\.sums.description) == ["1 record, points 100"])
    // A restart knows of it too.
    fixture.restart()
    let after = try await ManualGift(fixture.writer).give(
      gift(points: 100), to: "ann", id: "cup", reason: "prize", actor: "op")
    #expect(after.appended == 0)
  }

  /// Who leaves a name out, or writes it otherwise, is nobody else.
  @Test(arguments: [
    ("alice (account root)", "root", false), ("root", "alice (account root)", false),
    ("alice (account root)", "ALICE (account root)", false), ("root", "root", false),
    ("alice (account root)", "bob (account root)", true), ("root", "deploy", true),
    ("alice (account root)", "deploy", true), ("alice (account root)", "oot", true),
  ])
  func anApprovalIsSomebodyElses(asked: String, approver: String, isOther: Bool) async throws {
    let fixture = try await fixture()
    let two = SecondActor(
      fixture.writer, ManualLimits(perAct: Amounts { _ in 10 }))
    let act = BigAct.gift(gift(points: 100), under: "ann/manual/cup", reason: "prize")
    let amounts = gift(points: 100).amounts
    await #expect(throws: SecondActor.Problem.self) {
      try await two.admit(act, amounts, approving: nil, actor: asked)
    }
    var isAdmitted = true
    do {
      try await two.admit(act, amounts, approving: act.id, actor: approver)
    } catch is SecondActor.Problem {
      isAdmitted = false
    }
    #expect(isAdmitted == isOther)
  }

  /// The approval and the act are one: a second approval of the same request does nothing, and another broadcast needs another request.
  @Test func aBroadcastTakesTwoPeopleEachTime() async throws {
    let fixture = try await fixture()
    let two = SecondActor(fixture.writer, ManualLimits(perAct: Amounts { _ in 10 }))
    let broadcast = Broadcast(title: "Cup", body: "Gifts \"count\" twice", locKey: nil)
    let act = BigAct.broadcast(broadcast, reason: "campaign")
    func perform(_ actor: String, approving id: String? = nil) async -> String {
      do {
        let isNew = try await two.perform(
          act, named: "a broadcast",
          .operator(
            OperatorRecord(
              act: .broadcast, subject: act.id, what: broadcast.text, reason: "campaign",
              actor: actor)), approving: id, actor: actor)
        return isNew ? "sent" : "sent before"
      } catch let problem as SecondActor.Problem {
        return problem.cause
      } catch {
        return "\(error)"
      }
    }
    #expect(await perform("bob", approving: act.id) == "nobody has requested \(act.id)")
    for _ in 1...2 {
      #expect(await perform("alice") == "a broadcast needs a second person")
      #expect(
        await perform("alice", approving: act.id)
          == "alice requested \(act.id), and cannot approve it too")
      #expect(await perform("bob", approving: act.id) == "sent")
      #expect(await perform("bob", approving: act.id) == "sent before")
      #expect(await perform("carol", approving: act.id) == "sent before")
    }
    let acts = fixture.ledger.records.compactMap { record in
      if case .operator(let act) = record.body { act } else { nil }
    }
    #expect(acts.map(\.act) == [.request, .approve, .broadcast, .request, .approve, .broadcast])
    #expect(acts.compactMap { Broadcast($0) } == [broadcast, broadcast])
  }

  /// A request that names nobody is made again with a name, and may then be approved under another one.
  @Test func aRequestWithoutANameIsRepeatedWithOne() async throws {
    let fixture = try await fixture()
    let two = SecondActor(
      fixture.writer, ManualLimits(perAct: Amounts { _ in 10 }))
    let act = BigAct.gift(gift(points: 100), under: "ann/manual/cup", reason: "prize")
    let amounts = gift(points: 100).amounts
    let remedy =
      "the request is recorded as \(act.id): a second person repeats it with --approve \(act.id)"
    for (actor, hint, count) in [
      (
        "root",
        "; that takes another account than root, unless the request is repeated with --actor NAME",
        1
      ),
      ("alice (account root)", "", 2), ("bob (account root)", "", 2), ("root", "", 2),
    ] {
      let problem = await #expect(throws: SecondActor.Problem.self) {
        try await two.admit(act, amounts, approving: nil, actor: actor)
      }
      #expect(problem?.remedy == remedy + hint, "\(actor)")
      let requests = fixture.records.filter { $0.body.type == .operator }
      #expect(requests.count == count, "\(actor)")
    }
    await #expect(throws: SecondActor.Problem.self) {
      try await two.admit(act, amounts, approving: act.id, actor: "alice (account root)")
    }
    try await two.admit(act, amounts, approving: act.id, actor: "bob (account root)")
  }

  @Test func expByHandLiftsLevelsAsAnyOther() async throws {
    let fixture = try await fixture()
    _ = try await ManualGift(fixture.writer).give(
      gift(exp: 210), to: "ann", id: "a", reason: "r", actor: "op")
    #expect(fixture.records.net["ann/level/2"]?.items == ["levelLabel/levelLabel"])
    let balance = await fixture.balance(of: "ann")
    #expect(balance?.level == 2 && balance?.exp == 10)
    try await closeDays(fixture, 10...11)
    let settled = await fixture.balance(of: "ann")
    #expect(settled?.level == 2 && settled?.exp == 10)
    #expect(await fixture.plans(plan: "p", clawsBack: true).flatMap(\.records) == [])
    // Taken back, the level's reward goes with it.
    try await fixture.reverse(["ann/manual/a"], plan: "r")
    let reversed = await fixture.balance(of: "ann")
    #expect(reversed?.level == 1 && reversed?.exp == 0 && reversed?.items == [])
    try await fixture.reverse(["ann/manual/a"], undone: true, plan: "u")
    #expect(await fixture.balance(of: "ann") == settled)
  }

  @Test func whatCannotBeGivenIsRefused() async throws {
    let fixture = try await fixture()
    await #expect(throws: Failure.noMember("bob")) {
      try await ManualGift(fixture.writer).give(
        gift(points: 1), to: "bob", id: "a", reason: "r", actor: "op")
    }
    let noItem = await #expect(throws: Failure.self) {
      try await ManualGift(fixture.writer).give(
        gift(items: ["hat/red"]), to: "ann", id: "a", reason: "r", actor: "op")
    }
    #expect(noItem?.cause == "the catalogue of the rules in force has no \"hat/red\"")
    try await fixture.hire(#"{"user":"eve","timezone":"UTC","since":"2026-11-12"}"#)
    let tooEarly = await #expect(throws: Failure.self) {
      try await ManualGift(fixture.writer).give(
        gift(points: 1), to: "eve", id: "a", reason: "r", actor: "op")
    }
    #expect(tooEarly?.cause == "the user's first judged day, 2026-11-12, has not begun")
    #expect(fixture.records.grants == [])
  }
}
