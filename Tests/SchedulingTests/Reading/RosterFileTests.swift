import CivilTime
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

@Suite(.offThePool) struct RosterFileTests {
  @Test func goodLines() throws {
    let text =
      #"{"user":"a","timezone":"Asia/Tokyo","since":"2026-11-01","deviceToken":"t","# + ""
      + #""opening":{"points":1,"exp":2,"level":3,"streak":4,"items":["c/i"]}}"# + "\n\r\n \n"
      + #"{"user":17}"#
    let roster = RosterFile(Array(text.utf8))
    #expect(roster.problems == [])
    #expect(roster.entries.map(\.line) == [1, 4])
    #expect(
      roster.entries.map(\.entry) == [
        RosterEntry(
          user: "a", zone: "Asia/Tokyo", since: Day(year: 2026, month: 11, day: 1),
          opening: OpeningBalance(
            Amounts { [.points: 1, .exp: 2][$0] ?? 0 }, level: 3, streak: 4, items: ["c/i"])),
        RosterEntry(user: "17", zone: nil),
      ])
  }

  /// Of several ledgers each takes its own users; who stands twice is told of all the same.
  @Test func usersOfOtherLedgersArePassedOver() {
    let text = ["a", "b", "a", "b"].map { "{\"user\":\"\($0)\"}" }.joined(separator: "\n")
    let roster = RosterFile(Array(text.utf8), of: { $0 == "b" })
    #expect(roster.entries.map(\.entry.user) == ["b"] && roster.entries.map(\.line) == [2])
    #expect(roster.problems.map(\.line) == [3, 4])
  }

  @Test func twoUsersAreNeverOneAtTheAPI() {
    let lines = [
      #"{"user":"a","apiUser":17}"#, #"{"user":"b","apiUser":"18"}"#,
      #"{"user":"c","apiUser":"17"}"#, #"{"user":"18"}"#, #"{"user":"17","apiUser":"a"}"#,
      #"{"user":19,"apiUser":"19"}"#,
    ]
    let roster = RosterFile(Array(lines.joined(separator: "\n").utf8))
    #expect(roster.apiUsers == ["a": "17", "b": "18", "17": "a"])
    #expect(roster.problems.map(\.line) == [3, 4])
    let both = RosterFile(Array(lines.joined(separator: "\n").utf8), of: { $0 != "a" })
    #expect(both.problems.map(\.line) == [3, 4], "whoever's ledger the first is in")
  }

  @Test(arguments: [
    ("nonsense", ""),
    ("[]", ""),
    (#"{"timezone":"Asia/Tokyo"}"#, "\"user\" must be 1 to 64"),
    (#"{"user":"a b"}"#, "\"user\" must be 1 to 64"),
    (#"{"user":"a","timezone":7}"#, "\"timezone\""),
    (#"{"user":"a","timeZone":"Asia/Tokyo"}"#, "\"timeZone\": unknown key"),
    (#"{"user":"a","since":"2026-02-30"}"#, "\"since\": \"2026-02-30\" is not a date"),
    (#"{"user":"a","opening":{"level":101}}"#, "\"opening.level\""),
    (#"{"user":"a","opening":{"points":-1}}"#, "\"opening.points\""),
    (#"{"user":"a","opening":{"gems":1}}"#, "\"opening.gems\": unknown key"),
    (#"{"user":"a","opening":[]}"#, "\"opening\""),
    (#"{"user":"a","apiUser":""}"#, "\"apiUser\" must be 1 to 64"),
    (#"{"user":"a","apiUser":["b"]}"#, "\"apiUser\" must be 1 to 64"),
    (#"{"user":"a","apiUser":"first"}"#, "user a is the same user of the API as line 1"),
    (#"{"user":"first"}"#, "user first is already on line 1"),
  ])
  func badLinesAreNamedAndHarmNobody(line: String, what: String) throws {
    let text = "{\"user\":\"first\"}\n\(line)\n{\"user\":\"last\"}"
    let roster = RosterFile(Array(text.utf8))
    #expect(roster.entries.map(\.entry.user) == ["first", "last"])
    #expect(roster.problems.map(\.line) == [2])
    let problem = try #require(roster.problems.first)
    #expect(!problem.what.isEmpty)
    #expect(what.isEmpty || problem.what.contains(what), "\(problem.what)")
  }
}
