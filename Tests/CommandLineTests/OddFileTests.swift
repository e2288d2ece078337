import Failures
import Foundation
import Foundations
import Glibc
import Operations
import TestSupport
import Testing

/// Pipes, links and strange names in the place of the files that an operator names.
@Suite(.offThePool) struct OddFileTests {
  private func outcome(
    _ words: [String], _ files: [(String, String)], prepare: (String) throws -> Void
  ) async throws -> GoldenCase.Outcome {
    let home = try TemporaryFolder()
    for (name, text) in files { try home.write(name, text) }
    try prepare(home.path)
    var golden = GoldenCase(about: "", arguments: words)
    golden.environment = ["REWARDS_DRAW_SECRET": "x"]
    return try await ProgramUnderTest.run(
      words, golden, in: URL(fileURLWithPath: home.path))
  }

  /// With a pipe in its place each of these would wait for ever.
  @Test(arguments: [
    (["doctor"], "rewards.json", 78, "rewards.json: is not a regular file"),
    (["rules", "show"], "rules.json", 65, "rules.json: is not a regular file"),
    (["jobs", "list"], "jobs/nightly.json", 65, "jobs/nightly.json: is not a regular file"),
    (["doctor"], "users.jsonl", 1, "users"),
    (["users", "list"], "data/lock", 66, "there is no ledger"),
  ])
  func aPipeIsNotWaitedFor(
    words: [String], name: String, code: Int32, text: String
  ) async throws {
    let configuration = "{\"rules\": [\"./rules.json\"], \"api\": {\"token\": {\"env\": \"T\"}}}"
    let rules = name == "rules.json" ? configuration : "{}"
    let files = name == "rewards.json" ? [] : [("rewards.json", rules)]
    let outcome = try await outcome(words, files) { home in
      try FileManager.default.createDirectory(
        atPath: "\(home)/jobs", withIntermediateDirectories: true)
      try FileManager.default.createDirectory(
        atPath: "\(home)/data", withIntermediateDirectories: true)
      mkfifo("\(home)/\(name)", 0o600)
    }
    #expect(outcome.exitCode == code, "\(outcome)")
    #expect((outcome.errors + outcome.output).contains(text), "\(outcome)")
  }

  @Test(arguments: ["link", "pipe"]) func theLockIsNoLink(kind: String) async throws {
    let home = try TemporaryFolder()
    let precious = try home.write("precious", "not to be overwritten")
    try home.write("rewards.json", "{}")
    try home.write("users.jsonl", "{\"user\":\"ann\",\"timezone\":\"UTC\"}\n")
    mkdir("\(home.path)/data", 0o700)
    if kind == "link" { symlink(precious, "\(home.path)/data/lock") }
    if kind == "pipe" { mkfifo("\(home.path)/data/lock", 0o600) }
    var golden = GoldenCase(about: "", arguments: [])
    golden.environment = ["REWARDS_DRAW_SECRET": "x"]
    let outcome = try await ProgramUnderTest.run(
      ["users", "import", "users.jsonl"], golden, in: URL(fileURLWithPath: home.path))
    #expect(outcome.exitCode == 74, "\(outcome)")
    #expect(outcome.errors.contains("data/lock"))
    #expect(try String(contentsOfFile: precious, encoding: .utf8) == "not to be overwritten")
  }

  /// A home with a ledger, and a way to run commands in it.
  private func home() async throws -> (
    folder: TemporaryFolder, run: ([String]) async throws -> GoldenCase.Outcome
  ) {
    let home = try TemporaryFolder()
    try home.write("rewards.json", "{}")
    try home.write("users.jsonl", "{\"user\":\"ann\",\"timezone\":\"UTC\"}\n")
    var golden = GoldenCase(about: "", arguments: [])
    golden.environment = ["REWARDS_DRAW_SECRET": "zk3Gd0Qx9vPpR2mJ7tYb1LwHs5NfCu8E"]
    let run = { [golden] words in
      try await ProgramUnderTest.run(words, golden, in: URL(fileURLWithPath: home.path))
    }
    let imported = try await run(["users", "import", "users.jsonl"])
    guard imported.exitCode == 0 else { throw NoLedger(why: "\(imported)") }
    return (home, run)
  }

  private struct NoLedger: Error { let why: String }

  /// A slip in a path costs no ledger, no configuration, and no pipe.
  @Test func whatIsWrittenReplacesOnlyItsLike() async throws {
    let (home, run) = try await home()
    mkfifo("\(home.path)/pipe", 0o600)
    let segment = "data/ledger/00000000000000000001.jsonl"
    for name in [segment, "rewards.json", "users.jsonl", "pipe", "data/page.html", "data/ledger/p"]
    {
      let before =
        name == "pipe" ? nil : FileManager.default.contents(atPath: "\(home.path)/\(name)")
      let outcome = try await run(["audit", "--html", name])
      #expect(outcome.exitCode == 73 && outcome.errors.contains(name), "\(outcome)")
      if name == "pipe" { continue }
      #expect(FileManager.default.contents(atPath: "\(home.path)/\(name)") == before)
    }
    for _ in 0..<2 {
      let outcome = try await run(["audit", "--html", "page.html"])
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    let planned = try await run([
      "backfill", "--plan", "page.html", "--from", "2020-01-01", "--to", "2020-01-02",
    ])
    #expect(planned.exitCode == 73, "\(planned)")
  }

  /// An audit has passed here: there was a ledger, and a new one would grant everything again.
  @Test func aLedgerThatIsGoneIsNotBegunAnew() async throws {
    let (home, run) = try await home()
    #expect(try await run(["audit"]).exitCode == 0)
    try FileManager.default.removeItem(
      atPath: "\(home.path)/data/ledger/00000000000000000001.jsonl")
    let outcome = try await run(["users", "import", "users.jsonl"])
    #expect(outcome.exitCode == 65 && outcome.errors.contains("recorded outside it"), "\(outcome)")
  }

  @Test func anExcuseReachesNotFarAhead() async throws {
    let (_, run) = try await home()
    let words = ["excuse", "--from", "2020-01-01", "--to", "2099-01-01", "--reason", "slip"]
    let outcome = try await run(words)
    #expect(outcome.exitCode == 64 && outcome.errors.contains("days ahead"), "\(outcome)")
  }

  /// What somebody else has written stands in messages without its escapes, and not at length.
  @Test func messagesArePlainAndShort() async throws {
    let name = "\u{1B}]0;owned\u{7}" + String(repeating: "n", count: 100_000)
    for words in [
      ["zones", "day", name, "2026-11-20"], ["balance", name], ["users", "show", name],
      ["jobs", "next", name, "--zone", "UTC"], ["explain", "ann", name], [name],
      ["serve", "--\(name)"], ["ledger", "export", "--type", name], ["jobs", "pause", name],
    ] {
      let outcome = try await outcome(words, [("rewards.json", "{}")]) { _ in }
      #expect(outcome.exitCode >= 64, "\(words.prefix(2).map { $0.prefix(20) })")
      #expect(!(outcome.errors + outcome.output).contains("\u{1B}"))
      #expect(outcome.errors.utf8.count < 4_000, "\(words.map { $0.prefix(20) })")
    }
  }
}
