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
  /// A ledger in which one person may give this much in one act.
  private func fixture(
    most: Int64 = 10_000, by person: HandLimits.Person = .account
  ) async throws -> SchedulerFixture {
    let fixture = try await SchedulerFixture(at: "2026-11-10T00:00:00Z")
    var limits = HandLimits()
    limits.byHand = Amounts { _ in most }
    limits.by = person
    _ = try await LimitsUse(fixture.writer).propose(limits, by: "test")
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
  @Test(
    arguments: [
      ("alice (account root)", "root", nil), ("root", "alice (account root)", nil),
      ("alice (account root)", "ALICE (account root)", nil), ("root", "root", nil),
      ("alice (account root)", "bob (account root)", .actor), ("root", "deploy", .account),
      ("alice (account root)", "deploy", .account), ("alice (account root)", "oot", .account),
      ("alice (account root)", "alice (account deploy)", .account),
    ] as [(String, String, HandLimits.Person?)])
  func anApprovalIsSomebodyElses(
    asked: String, approver: String, isOther: HandLimits.Person?
  ) async throws {
    for by in [HandLimits.Person.account, .actor] {
      let isAdmitted = try await isAdmitted(asked, approver, by)
      #expect(isAdmitted == (isOther == .account || isOther == by), "\(by)")
    }
  }

  private func isAdmitted(
    _ asked: String, _ approver: String, _ by: HandLimits.Person
  ) async throws -> Bool {
    let fixture = try await fixture(most: 10, by: by)
    let two = SecondActor(fixture.writer)
    let act = BigAct.gift(gift(points: 100), under: "ann/manual/cup", reason: "prize")
    try? await two.agree(on: act, approving: nil, actor: asked)
    do {
      try await two.agree(on: act, approving: act.id, actor: approver)
      return true
    } catch is SecondActor.Problem {
      return false
    }
  }

  /// Gifts of a month add up: to one user, and of one person. What two people agreed on does not count.
  @Test func smallGiftsAddUp() async throws {
    let fixture = try await fixture(most: 10)
    for user in ["bea", "cid"] { try await fixture.hire(#"{"user":"\#(user)","timezone":"UTC"}"#) }
    try fixture.set("2026-11-10T12:00:00Z")
    let two = SecondActor(fixture.writer)
    func give(
      _ points: Int64, to user: String, _ id: String, by actor: String, _ approval: Bool = false
    )
      async throws -> Bool
    {
      let act = BigAct.gift(gift(points: points), under: "\(user)/manual/\(id)", reason: "r")
      do {
        _ = try await two.carryOut(act, approving: approval ? act.id : nil, actor: actor) {
          request in
          try await ManualGift(fixture.writer).give(
            gift(points: points), to: user, id: id, reason: "r", actor: actor, request: request)
        }
        return true
      } catch is SecondActor.Problem {
        return false
      }
    }
    #expect(try await give(10, to: "ann", "1", by: "alice"))
    #expect(try await give(10, to: "ann", "2", by: "bob"))
    // Twenty are what anybody alone may give her, whoever it is.
    #expect(try await !give(1, to: "ann", "3", by: "carl"))
    #expect(try await !give(50, to: "ann", "4", by: "alice"))
    #expect(try await !give(50, to: "ann", "4", by: "alice", true))
    #expect(try await give(50, to: "ann", "4", by: "bob", true))
    #expect(try await !give(50, to: "ann", "5", by: "bob"))
    // An approval counts for one act, and a new month begins at zero.
    #expect(await fixture.balance(of: "ann")?.points == 70)
    fixture.restart()
    #expect(try await !give(2, to: "ann", "6", by: "alice"))
    try fixture.set("2026-12-01T00:00:00Z")
    #expect(try await give(10, to: "ann", "7", by: "alice"))
  }

  /// The approval and the act are one: a second approval of the same request does nothing, and another broadcast needs another request.
  @Test func aBroadcastTakesTwoPeopleEachTime() async throws {
    let fixture = try await fixture(most: 10)
    let two = SecondActor(fixture.writer)
    let broadcast = Broadcast(title: "Cup", body: "Gifts \"count\" twice", locKey: nil)
    let act = BigAct.broadcast(broadcast, reason: "campaign")
    func perform(_ actor: String, approving id: String? = nil) async -> String {
      do {
        let isNew = try await two.perform(
          act, named: "a broadcast",
          OperatorRecord(
            act: .broadcast, subject: act.id, what: broadcast.text, reason: "campaign",
            actor: actor), approving: id, actor: actor)
        return isNew ? "sent" : "sent before"
      } catch let problem as SecondActor.Problem {
        return problem.cause
      } catch {
        return "\(error)"
      }
    }
    #expect(await perform("bob", approving: act.id) == "no request \(act.id) waits")
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
    #expect(
      acts.map(\.act).dropFirst()
        == [.request, .approve, .broadcast, .request, .approve, .broadcast])
    #expect(acts.compactMap { Broadcast($0) } == [broadcast, broadcast])
  }

  /// A request that names nobody is made again with a name, and may then be approved under another one.
  @Test func aRequestWithoutANameIsRepeatedWithOne() async throws {
    let fixture = try await fixture(most: 10, by: .actor)
    let two = SecondActor(fixture.writer)
    let act = BigAct.gift(gift(points: 100), under: "ann/manual/cup", reason: "prize")
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
        try await two.agree(on: act, approving: nil, actor: actor)
      }
      #expect(problem?.remedy == remedy + hint, "\(actor)")
      let acts = fixture.records.filter { $0.body.type == .operator }
      // The first one sets the limits.
      #expect(acts.count == 1 + count, "\(actor)")
    }
    await #expect(throws: SecondActor.Problem.self) {
      try await two.agree(on: act, approving: act.id, actor: "alice (account root)")
    }
    try await two.agree(on: act, approving: act.id, actor: "bob (account root)")
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

extension SecondActor {
  /// Returns if two people agree on an act that takes two; see ``carryOut(_:approving:actor:_:)``.
  fileprivate func agree(on act: BigAct, approving id: String?, actor: String) async throws {
    try await carryOut(act, approving: id, actor: actor) { request in
      if request == nil { throw HandExcess(text: "too much") }
    }
  }
}
