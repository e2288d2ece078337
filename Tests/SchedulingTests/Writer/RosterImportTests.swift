import Ledger
import Scheduling
import TestSupport
import Testing

/// A long roster comes in by portions, each of which stays whatever becomes of the next.
@Suite(.offThePool) struct RosterImportTests {
  private static let users = 45_000

  private static let roster = RosterFile(
    Array(
      (0..<users).map { #"{"user":"u\#($0)","timezone":"Etc/UTC","opening":{"points":2}}"# + "\n" }
        .joined().utf8))

  private func take(in fixture: SchedulerFixture) async throws -> RosterImport.Result {
    try await RosterImport(fixture.writer).run(Self.roster, defaultZone: "Etc/UTC", by: "anna")
  }

  @Test func whatFailedInTheMidstIsBroughtInByTheSameRoster() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    try await fixture.allow(1_000_000)
    let begun = fixture.ledger.appends
    fixture.ledger.refuse(after: 1)
    await #expect(throws: FlakyLedger.DiskFull.self) { try await take(in: fixture) }
    let there = fixture.foldedState.accounts.count
    #expect(0 < there && there < Self.users)

    fixture.ledger.heal()
    let rest = try await take(in: fixture)
    #expect(rest.unchanged == there && rest.added == Self.users - there)
    #expect(rest.missing == [] && rest.problems == [])
    #expect(fixture.ledger.appends > begun + 2)
    #expect(fixture.foldedState.accounts.count == Self.users)

    // Each portion's act names what that portion brings, and stands before it.
    let acts = fixture.records.compactMap { record -> String? in
      if case .operator(let act) = record.body, act.act == .bringIn { act.what } else { nil }
    }
    let counts = acts.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    #expect(counts.count == fixture.ledger.appends - begun)
    #expect(counts.reduce(0, +) == Self.users)
    #expect(rest.appended == rest.added + counts.count - 1)

    let again = try await take(in: fixture)
    #expect(again.unchanged == Self.users && again.appended == 0)
  }

  /// What one person may not give waits, and holds nobody else up. A second person's approval holds for exactly these lines.
  @Test func whatTakesTwoPeopleWaitsAlone() async throws {
    let fixture = try await SchedulerFixture(at: "2026-11-20T06:00:00Z")
    func take(_ points: Int, by actor: String, approving id: String? = nil) async throws
      -> RosterImport.Result
    {
      let lines = [
        #"{"user":"ann","timezone":"Etc/UTC"}"#,
        #"{"user":"bea","timezone":"Etc/UTC","since":"2016-01-01"}"#,
        #"{"user":"cid","timezone":"Etc/UTC","opening":{"points":\#(points)}}"#,
      ]
      return try await RosterImport(fixture.writer).run(
        RosterFile(Array(lines.joined(separator: "\n").utf8)), defaultZone: "Etc/UTC", by: actor,
        approving: id)
    }
    let first = try await take(30_000, by: "alice")
    #expect(first.added == 1 && first.held == 2 && first.unchanged == 0)
    guard case .waiting(let id, _, "alice", .account) = first.waiting else {
      Issue.record("\(String(describing: first.waiting))")
      return
    }
    let own = try await take(30_000, by: "alice", approving: id)
    #expect(own.held == 2 && own.unchanged == 1)
    let other = try await take(30_001, by: "bob", approving: id)
    #expect(other.waiting.map { "\($0)" }?.contains("another act") == true)
    let second = try await take(30_000, by: "bob", approving: id)
    #expect(second.added == 2 && second.held == 0 && second.waiting == nil)
    #expect(await fixture.balance(of: "cid")?.points == 30_000)
    let again = try await take(30_000, by: "bob")
    #expect(again.unchanged == 3 && again.appended == 0)
  }
}
