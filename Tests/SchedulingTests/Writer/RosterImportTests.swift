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
}
