import Foundation
import TestSupport
import Testing

@testable import rewards

/// Ledgers that 1.0.0 began and has gone on with: the lines before, what was handed in after, and what it granted then. One has the
/// built-in rules of that time, the other a document that leaves most to them.
@Suite(.offThePool) struct FormerRulesTests {
  private static let former = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Former")
  private static let days = 5...10

  /// A command line that did not do its work.
  private struct Failed: Error {
    let words: [String]
    let outcome: GoldenCase.Outcome
  }

  /// A folder with one of the ledgers, gone with the value.
  private final class Place {
    let home: TemporaryFolder
    let folder: URL
    private var environment = GoldenCase(about: "", arguments: [])

    init(_ name: String) throws {
      home = try TemporaryFolder()
      folder = URL(fileURLWithPath: home.path)
      environment.environment = [
        "REWARDS_DRAW_SECRET": "a secret for the draws of 1.0.0, long enough"
      ]
      let files = FileManager.default
      try files.createDirectory(
        at: ledger.deletingLastPathComponent(), withIntermediateDirectories: true)
      try files.createDirectory(
        at: folder.appending(path: "jobs"), withIntermediateDirectories: true)
      let former = FormerRulesTests.former
      try files.copyItem(at: former.appending(path: "\(name)/ledger.jsonl"), to: ledger)
      try files.copyItem(
        at: former.appending(path: "users.jsonl"), to: folder.appending(path: "users.jsonl"))
      for file in ["rewards.json", "rules.json"] {
        let source = former.appending(path: "\(name)/\(file)")
        if files.fileExists(atPath: source.path) {
          try files.copyItem(at: source, to: folder.appending(path: file))
        }
      }
    }

    var ledger: URL { folder.appending(path: "data/ledger/00000000000000000001.jsonl") }
    var lines: [String] {
      get throws {
        try String(contentsOf: ledger, encoding: .utf8).split(separator: "\n").map(String.init)
      }
    }

    func run(_ words: String...) async throws -> GoldenCase.Outcome {
      try await ProgramUnderTest.run(words, environment, in: folder)
    }

    /// Hands in what was handed in on a day, and closes it.
    func play(_ day: String, as file: String? = nil) async throws {
      let source = FormerRulesTests.former.appending(path: "days/\(file ?? day).jsonl")
      let text = try String(contentsOf: source, encoding: .utf8).replacing(file ?? day, with: day)
      try text.write(to: folder.appending(path: "day.jsonl"), atomically: true, encoding: .utf8)
      for words in [
        ["ingest", "day.jsonl", "--now", "\(day)T05:00:00Z"],
        ["reconcile", "--now", "\(day)T16:00:00Z"],
      ] {
        let outcome = try await ProgramUnderTest.run(words, environment, in: folder)
        if outcome.exitCode > 1 { throw Failed(words: words, outcome: outcome) }
      }
    }
  }

  private static func date(_ day: Int) -> String { "2026-11-\(day < 10 ? "0" : "")\(day)" }

  /// A line without the numbers of lines: acts have lines of their own since.
  private static func unnumbered(_ line: String) -> String {
    line.replacing(#/"seq":\d+,/#, with: "").replacing(#/"evidence":\[[\d,]*\]/#, with: "")
  }

  /// But for line numbers to the byte what 1.0.0 granted: the old catalogue and no titles, whatever is built in now.
  @Test(arguments: ["builtin", "partial"]) func goesOnAsIfNothingHadChanged(name: String)
    async throws
  {
    let place = try Place(name)
    let before = try place.lines.count
    for day in Self.days { try await place.play(Self.date(day)) }
    let granted = try String(
      contentsOf: Self.former.appending(path: "\(name)/granted.jsonl"), encoding: .utf8
    ).split(separator: "\n").map(String.init)
    let types = ["grant", "level", "streak", "refused", "unknown"].map { "\"type\":\"\($0)\"" }
    let now = try place.lines.dropFirst(before).filter { line in
      types.contains { line.contains($0) }
    }
    #expect(now.map(Self.unnumbered) == granted.map(Self.unnumbered))
    #expect(granted.contains { $0.contains("uiSkin/summer") }, "no longer built in")
    let audit = try await place.run("audit", "--now", "2026-11-12T00:00:00Z")
    #expect(audit.exitCode == 0 && audit.output.hasSuffix("the audit passed\n"), "\(audit)")
  }

  /// A document that somebody loads is completed by the rules that are built in now, and the ledger says so.
  @Test(arguments: ["builtin", "partial"]) func newRulesComeWithANewDocument(name: String)
    async throws
  {
    let place = try Place(name)
    try await place.play(Self.date(5))
    let old = name == "partial" ? "\"./rules.json\", " : ""
    try """
    {"data": "./data", "users": "./users.jsonl", "jobs": "./jobs", "rules": [\(old)"./new.json"],
     "drawSecret": {"env": "REWARDS_DRAW_SECRET"}}
    """.write(to: place.folder.appending(path: "rewards.json"), atomically: true, encoding: .utf8)
    try
      #"{"version": "2026-12", "effectiveFrom": "2026-11-06", "levels": {"rewards": {"15": {"item": "buttonStyle"}}}}"#
      .write(to: place.folder.appending(path: "new.json"), atomically: true, encoding: .utf8)
    for day in Self.days.dropFirst() { try await place.play(Self.date(day)) }
    let lines = try place.lines
    #expect(
      lines.filter { $0.contains("\"type\":\"rules\"") }.map {
        $0.contains("\"defaults\":\"builtin-2\"")
      } == [false, true])
    #expect(lines.contains { $0.contains("cleo/level/15") && $0.contains("buttonStyle/") })
    let audit = try await place.run("audit", "--now", "2026-11-12T00:00:00Z")
    #expect(audit.exitCode == 0, "\(audit)")
    let explained = try await place.run(
      "explain", "ann", "2026-11-07", "comment", "--now", "2026-11-12T00:00:00Z")
    #expect(explained.output.contains("comment (Comment once): "), "\(explained)")
    let earlier = try await place.run(
      "explain", "ann", "2026-11-05", "comment", "--now", "2026-11-12T00:00:00Z")
    #expect(earlier.output.contains("\ncomment: "), "\(earlier)")
  }
}
