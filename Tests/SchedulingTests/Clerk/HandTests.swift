import CivilTime
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// Grants by hand.
@Suite(.offThePool) struct HandTests {
  private func office() async throws -> Office {
    let office = try await Office(at: "2026-11-10T00:00:00Z")
    try await office.hire(#"{"user":"ann","timezone":"UTC"}"#)
    try office.set("2026-11-10T12:00:00Z")
    return office
  }

  private func gift(points: Int64 = 0, exp: Int64 = 0, items: [String] = []) -> Reward {
    var reward = Reward()
    reward.points = points
    reward.baseExp = exp
    reward.exp = exp
    reward.items = items
    return reward
  }

  private func closeDays(_ office: Office, _ days: ClosedRange<Int>) async throws {
    for day in days {
      try office.set("2026-11-\(day + 1)T00:20:00Z")
      try await office.seeNothing()
      try await office.closeAll()
    }
  }

  @Test func theSameGiftIsGivenOnce() async throws {
    let office = try await office()
    for _ in 0..<3 {
      _ = try await office.clerk.grant(
        gift(points: 100), to: "ann", id: "cup", reason: "prize", actor: "op")
    }
    try await closeDays(office, 10...11)
    let late = try await office.clerk.grant(
      gift(points: 100), to: "ann", id: "cup", reason: "prize", actor: "op")
    #expect(late.appended == 0)
    #expect(await office.balance(of: "ann")?.points == 100)
    let acts = office.records.compactMap { record -> OperatorRecord? in
      if case .operator(let act) = record.body { act } else { nil }
    }
    #expect(
      acts == [
        OperatorRecord(act: .grant, subject: "ann/manual/cup", reason: "prize", actor: "op")
      ])
    // A restart knows of it too.
    await office.restart()
    let after = try await office.clerk.grant(
      gift(points: 100), to: "ann", id: "cup", reason: "prize", actor: "op")
    #expect(after.appended == 0)
  }

  @Test func expByHandLiftsLevelsAsAnyOther() async throws {
    let office = try await office()
    _ = try await office.clerk.grant(
      gift(exp: 210), to: "ann", id: "a", reason: "r", actor: "op")
    #expect(office.records.net["ann/level/2"]?.items == ["levelLabel/levelLabel"])
    let balance = await office.balance(of: "ann")
    #expect(balance?.level == 2 && balance?.exp == 10)
    try await closeDays(office, 10...11)
    let settled = await office.balance(of: "ann")
    #expect(settled?.level == 2 && settled?.exp == 10)
    #expect(try await office.backfills(plan: "p", clawsBack: true).flatMap(\.records) == [])
    // Taken back, the level's reward goes with it.
    try await office.reverse(["ann/manual/a"], plan: "r")
    let reversed = await office.balance(of: "ann")
    #expect(reversed?.level == 1 && reversed?.exp == 0 && reversed?.items == [])
    try await office.reverse(["ann/manual/a"], undone: true, plan: "u")
    #expect(await office.balance(of: "ann") == settled)
  }

  @Test func whatCannotBeGivenIsRefused() async throws {
    let office = try await office()
    await #expect(throws: Clerk.HandProblem.noSuchUser) {
      try await office.clerk.grant(gift(points: 1), to: "bob", id: "a", reason: "r", actor: "op")
    }
    await #expect(throws: Clerk.HandProblem.noSuchItem("hat/red")) {
      try await office.clerk.grant(
        gift(items: ["hat/red"]), to: "ann", id: "a", reason: "r", actor: "op")
    }
    try await office.hire(#"{"user":"eve","timezone":"UTC","since":"2026-11-12"}"#)
    let first = try #require(Day(year: 2026, month: 11, day: 12))
    await #expect(throws: Clerk.HandProblem.notYet(first: first)) {
      try await office.clerk.grant(gift(points: 1), to: "eve", id: "a", reason: "r", actor: "op")
    }
    #expect(office.records.grants == [])
  }
}
