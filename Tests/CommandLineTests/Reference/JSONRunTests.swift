import Failures
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import rewards

/// One small world, and every command whose JSON no recorded run shows: its output fits its schema.
@Suite(.offThePool) struct JSONRunTests {
  private static let files = [
    "users.jsonl": """
    {"user":"ann","timezone":"Asia/Tokyo","since":"2026-11-20"}
    {"user":"bob","timezone":"Europe/Berlin","since":"2026-11-20"}

    """,
    "rules.json": """
    {"version":"tight","effectiveFrom":"2026-01-01","limits":{"pointsPerUserDay":26,"expPerUserDay":500}}
    """,
    "rewards.json": """
    {"rules":["rules.json"],"relay":{"journal":{"kind":"file","path":"./events.jsonl"}},"admin":{"listen":"127.0.0.1:0"}}
    """,
    "acts.jsonl": """
    {"user":"ann","kind":"login","at":"2026-11-20T03:00:00Z"}
    {"user":"ann","kind":"comment","at":"2026-11-20T04:00:00Z"}
    {"user":"bob","kind":"login","at":"2026-11-20T09:00:00Z"}
    {"completeThrough":"2026-11-20T12:00:00Z"}

    """,
    "late.jsonl": "{\"user\":\"bob\",\"kind\":\"share\",\"at\":\"2026-11-20T10:00:00Z\"}\n",
  ]

  /// Command lines in their order; `!` before one whose output is looked at by another test.
  private static let lines =
    [
      "! users import users.jsonl --now 2026-11-20T00:30:00Z",
      "! ingest acts.jsonl --now 2026-11-20T13:00:00Z",
      "release ann/2026-11-20/comment --reason fair --now 2026-11-20T13:01:00Z",
      "atrisk --now 2026-11-20T16:00:00Z",
      "! reconcile --now 2026-11-22T23:30:00Z",
      "! ingest late.jsonl --now 2026-11-22T23:40:00Z",
      "excuse --propose",
      "excuse --from 2026-11-21 --to 2026-11-21 --reason outage",
      "backfill --from 2026-11-20 --to 2026-11-21 --plan plan.json",
      "backfill --apply plan.json",
      "blast --from 2026-11-20 --to 2026-11-20 --mission login --plan blast.json --reason wrong",
      "balance --all",
      "users find an",
      "user ann",
      "audit",
      "rules show",
      "rules example",
      "relay dead",
      "relay replay --dead",
      "relay pause journal --reason moving",
      "relay resume journal",
      "relay test journal",
      "ledger backup backup",
      "ledger compact",
      "ledger restore backup --data elsewhere",
      "init etc",
      "schema",
      "completion bash",
      "man",
      "approvals",
      "demo --users 4 --days 2 --data world",
    ] + databaseLines

  /// Commands about a database, of which the tests have one where a server is installed.
  private static var databaseLines: [String] {
    guard let address = try? DatabasePlace.makeDatabaseAddress() else { return [] }
    return [
      "store migrate --shards 2", "store status", "store check", "ledger import backup --shard 1",
    ].map { "\($0) --data \(address)" }
  }

  /// The names of the commands that are run.
  static let commands: Set<String> = Set(
    lines.compactMap { line in
      let words = line.split(separator: " ").map { String($0) }.filter { $0 != "!" }
      guard
        case .command(let command, _)? = try? ArgumentParser(commands: CommandList.all)
          .parse(words)
      else { return nil }
      return command.spec.name
    })

  @Test func everyOutputFits() async throws {
    let place = try TemporaryFolder()
    for (name, text) in Self.files { _ = try place.write(name, text) }
    let folder = URL(fileURLWithPath: place.path)
    var golden = GoldenCase(about: "", arguments: [])
    golden.environment = ["REWARDS_DRAW_SECRET": "0123456789abcdef"]
    for line in Self.lines {
      let isPassedOver = line.hasPrefix("! ")
      let words = line.split(separator: " ").map { String($0) }.filter { $0 != "!" }
      let outcome = try await ProgramUnderTest.run(
        words + ["--format", "json"], golden, in: folder)
      #expect(outcome.exitCode <= 1, "\(line): \(outcome.errors)")
      guard !isPassedOver,
        case .command(let command, _) = try ArgumentParser(commands: CommandList.all).parse(words)
      else { continue }
      let name = command.spec.name.replacing(" ", with: "-")
      let schema = try SchemaCatalogue.node(of: name)
      let isLines = command.spec.name == "atrisk"
      for text in isLines ? outcome.output.split(separator: "\n") : [outcome.output[...]] {
        let flaws = SchemaChecker().flaws(try JSONNode.parse(Array(text.utf8)), schema)
        #expect(flaws == [], "\(line)")
      }
      #expect(!outcome.output.isEmpty, "\(line)")
    }
  }

  /// The events that the world above sends fit theirs.
  @Test func everyEventFits() async throws {
    let place = try TemporaryFolder()
    let folder = URL(fileURLWithPath: place.path)
    let golden = GoldenCase(about: "", arguments: [])
    let demo = try await ProgramUnderTest.run(
      ["demo", "--users", "30", "--days", "4", "--data", "world"], golden, in: folder)
    #expect(demo.exitCode == 0, "\(demo.output)\(demo.errors)")
    let schema = try SchemaCatalogue.node(of: "events")
    let events = try String(
      contentsOf: folder.appendingPathComponent("world/events.jsonl"), encoding: .utf8)
    var types: Set<String> = []
    for line in events.split(separator: "\n") {
      let event = try JSONNode.parse(Array(line.utf8))
      #expect(SchemaChecker().flaws(event, schema) == [], "\(line.prefix(300))")
      types.insert(event["type"]?.string ?? "")
    }
    #expect(types.count >= 4)
  }
}
