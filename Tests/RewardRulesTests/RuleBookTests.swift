import CivilTime
import Evidence
import RewardRules
import TestSupport
import Testing

@Suite("Rule books", .offThePool)
struct RuleBookTests {
  private static func document(
    _ version: String, from day: String, corrects: String? = nil, points: Int = 1
  ) throws -> RulesDocument {
    let correction = corrects.map { #""corrects": "\#($0)","# } ?? ""
    let text = """
      {"version": "\(version)", "effectiveFrom": "\(day)", \(correction)
       "missions": {"gift": {"points": \(points)}}, "streak": {"countsAs": ["login"]}}
      """
    return try RulesDocument.parse(Array(text.utf8)).get()
  }

  @Test("a day is judged by the latest document that has begun; before the first there is none")
  func picksByDay() throws {
    let book = try RuleBook([
      Self.document("b", from: "2026-02-01"), Self.document("a", from: "2026-01-01"),
    ])
    let days = ["2025-12-31", "2026-01-01", "2026-01-31", "2026-02-01", "2030-01-01"]
    let versions = try days.map { book.rules(on: try #require(Day($0)))?.version }
    #expect(versions == [nil, "a", "a", "b", "b"])
    #expect(book.documents.map(\.version) == ["a", "b"])
    #expect(book.neededKinds == KindSet([.gift, .login]))
  }

  @Test("users that are judged before the first rules are a problem at load")
  func reportsEarlyUsers() throws {
    let book = try RuleBook([Self.document("a", from: "2026-01-02")])
    let first = try #require(Day("2026-01-02"))
    #expect(book.problem(judgedFrom: first) == nil)
    #expect(
      book.problem(judgedFrom: first.adding(days: -1))
        == .noRulesYet(judgedFrom: first.adding(days: -1), rulesFrom: first))
  }

  @Test("a correction replaces its version, over several steps too")
  func corrects() throws {
    let book = try RuleBook([
      Self.document("a", from: "2026-01-01"),
      Self.document("a3", from: "2026-01-01", corrects: "a2"),
      Self.document("a2", from: "2026-01-01", corrects: "a"),
      Self.document("b", from: "2026-03-01"),
    ])
    #expect(book.documents.map(\.version) == ["a3", "b"])
  }

  @Test("the same document twice is one, however it is written")
  func acceptsSameTwice() throws {
    let first = try Self.document("a", from: "2026-01-01")
    let again = try RulesDocument.parse(Array(first.canonicalText.utf8)).get()
    #expect(try RuleBook([first, again]).documents.count == 1)
  }

  @Test("documents that contradict each other are refused")
  func refusesConflicts() throws {
    let base = try Self.document("a", from: "2026-01-01")
    let table: [(documents: [RulesDocument], problem: RuleBookProblem)] = [
      ([], .noDocuments),
      ([base, try Self.document("a", from: "2026-01-01", points: 2)], .versionTwice("a")),
      (
        [base, try Self.document("b", from: "2026-01-01")],
        .sameDay("a", "b", base.effectiveFrom)
      ),
      (
        [base, try Self.document("b", from: "2026-01-01", corrects: "A")],
        .correctsUnknown(version: "b", corrects: "A")
      ),
      (
        [
          base, try Self.document("b", from: "2026-01-01", corrects: "a"),
          try Self.document("c", from: "2026-01-02", corrects: "a"),
        ], .correctedTwice("a", by: "b", and: "c")
      ),
      (
        [
          try Self.document("b", from: "2026-01-01", corrects: "c"),
          try Self.document("c", from: "2026-01-02", corrects: "b"),
        ], .correctsInCircle("b")
      ),
    ]
    for row in table {
      #expect(throws: row.problem) { try RuleBook(row.documents) }
      #expect(row.problem.description.contains(";"), "names a remedy")
    }
  }
}
