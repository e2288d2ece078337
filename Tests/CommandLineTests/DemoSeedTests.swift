import Failures
import Foundation
import StrictJSON
import TestSupport
import Testing

/// A seed decides what a demo leaves: twice the same program, twice the same bytes.
@Suite(.offThePool) struct DemoSeedTests {
  /// A world that has been lived through.
  private struct World {
    /// The bytes of the ledger's segments and of the events.
    let files: [String: Data]
    /// How the demo ended, and what it printed.
    let outcome: GoldenCase.Outcome
  }

  private static func world(seed: Int) async throws -> World {
    let place = try TemporaryFolder()
    let folder = URL(fileURLWithPath: place.path)
    let outcome = try await ProgramUnderTest.run(
      [
        "demo", "--users", "12", "--days", "2", "--seed", "\(seed)", "--data", "world",
        "--format", "json",
      ], GoldenCase(about: "", arguments: []), in: folder)
    let world = folder.appendingPathComponent("world")
    let ledger = world.appendingPathComponent("data/ledger")
    var files = ["events": try Data(contentsOf: world.appendingPathComponent("events.jsonl"))]
    for name in try FileManager.default.contentsOfDirectory(atPath: ledger.path) {
      let file = ledger.appendingPathComponent(name)
      if !file.hasDirectoryPath { files[name] = try Data(contentsOf: file) }
    }
    return World(files: files, outcome: outcome)
  }

  @Test func theSameSeedWritesTheSameBytes() async throws {
    let first = try await Self.world(seed: 5)
    let second = try await Self.world(seed: 5)
    #expect(first.outcome.exitCode == 0, "\(first.outcome.output)\(first.outcome.errors)")
    #expect(first.files.count >= 2)
    #expect(first.files["events"]?.isEmpty == false)
    #expect(first.files == second.files)
    #expect(first.outcome.output == second.outcome.output)
    #expect(try await Self.world(seed: 6).files != first.files)
  }
}
