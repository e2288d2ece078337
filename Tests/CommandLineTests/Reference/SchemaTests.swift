import CivilTime
import Failures
import Foundation
import Foundations
import Ledger
import Operations
import StrictJSON
import TestSupport
import Testing

@testable import rewards

/// What `rewards schema` prints, held against what the program reads and writes.
@Suite(.offThePool) struct SchemaTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Golden")

  private static func schema(_ name: String) throws -> JSONNode {
    try SchemaCatalogue.node(of: name)
  }

  @Test(arguments: SchemaCatalogue.entries.map(\.name))
  func isASchema(name: String) throws {
    let schema = try Self.schema(name)
    #expect(schema["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema")
    #expect(schema["type"] != nil || schema["anyOf"] != nil)
  }

  /// Commands that print no JSON of their own: lines of the ledger, or nothing.
  private static let withoutOutput: Set = ["serve", "try-api", "ledger export", "tail"]

  @Test func everyCommandHasOne() {
    let commands = Set(CommandList.all.map { $0.spec.name }).subtracting(Self.withoutOutput)
    let described = SchemaCatalogue.outputs.map { $0.name.replacing("-", with: " ") }
    #expect(Set(described) == commands)
    #expect(described.count == commands.count)
  }

  /// Recorded runs whose output is JSON: their name, command and output.
  private static let recorded: [(name: String, command: String, output: String)] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.sorted().compactMap { file in
      guard let text = try? String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      else { return nil }
      let golden = GoldenCase(text)
      guard OutputFormat(of: golden.arguments) == .json, let outcome = golden.outcome,
        outcome.output.hasPrefix("{"),
        case .command(let command, _)? = try? ArgumentParser(commands: CommandList.all)
          .parse(golden.arguments),
        // The output of a former command has no schema any more.
        !CommandList.former.contains(where: { $0.name == command.spec.name })
      else { return nil }
      return (file, command.spec.name, outcome.output)
    }
  }()

  @Test(arguments: recorded.map(\.name))
  func recordedOutputFits(name: String) throws {
    let run = try #require(Self.recorded.first { $0.name == name })
    let isLines = ["tail", "ledger export"].contains(run.command)
    let schema = try Self.schema(isLines ? "records" : run.command.replacing(" ", with: "-"))
    for line in run.output.split(separator: "\n") {
      let value = try JSONNode.parse(Array(line.utf8))
      #expect(SchemaChecker().flaws(value, schema) == [])
    }
  }

  @Test func everyOutputIsRecordedSomewhere() {
    let run = Set(Self.recorded.map(\.command))
    let missing = CommandList.all.map { $0.spec.name }.filter {
      !run.contains($0) && !Self.withoutOutput.contains($0)
        && !JSONRunTests.commands.union(TwoPeopleTests.commands).contains($0)
    }
    #expect(missing == [])
  }

  @Test func everyLineOfTheReferenceFits() throws {
    let schema = try Self.schema("records")
    var types: Set<String> = []
    for case .code("json", let lines) in ReferencePage.records.page.blocks {
      for line in lines {
        // Hashes are shortened there.
        let whole = line.replacing(/"(?<name>prev|hash|sha256)":"[0-9a-f]+…"/) {
          "\"\($0.output.name)\":\"HASH\""
        }
        let value = try JSONNode.parse(Array(whole.utf8))
        #expect(SchemaChecker().flaws(value, schema) == [], "\(line.prefix(120))")
        types.insert(value["type"]?.string ?? "")
      }
    }
    #expect(types == Set(RecordType.allCases.map(\.rawValue)))
  }

  @Test func aSurplusOrMissingFieldIsSeen() throws {
    let schema = try Self.schema("ledger-head")
    let hash = String(repeating: "a", count: 64)
    func flaws(_ text: String) throws -> [String] {
      SchemaChecker().flaws(try JSONNode.parse(Array(text.utf8)), schema)
    }
    #expect(try flaws("{\"seq\":1,\"hash\":\"\(hash)\"}") == [])
    #expect(try flaws("{\"seq\":1,\"hash\":\"\(hash)\",\"x\":1}") == ["$.x is surplus"])
    #expect(try flaws("{\"hash\":\"\(hash)\"}") == ["$.seq is missing"])
    #expect(try flaws("{\"seq\":1.5,\"hash\":\"\(hash)\"}") == ["$.seq is no whole number"])
    #expect(try flaws("{\"seq\":1,\"hash\":\"a\"}") == ["$.hash is \"a\""])
  }

  @Test func errorsAreLines() async throws {
    for words in [
      ["balance", "--format", "json"], ["balanc", "--format=json"],
      ["explain", "u", "x", "--format", "json"],
    ] {
      let errors = MemorySink()
      let output = MemorySink()
      let environment = ProgramEnvironment(
        variables: [:], output: output, errors: errors,
        clock: FixedClock(at: Instant(seconds: 0)), zones: testZones,
        readInput: { (_) throws(ReadError) in [] })
      let code = await Program(environment: environment).run(words)
      #expect(output.text.isEmpty)
      let schema = try Self.schema("error")
      for line in errors.text.split(separator: "\n") {
        let value = try JSONNode.parse(Array(line.utf8))
        #expect(SchemaChecker().flaws(value, schema) == [])
        #expect(value["exitCode"]?.int == Int64(code.rawValue))
      }
      #expect(!errors.text.isEmpty)
    }
  }
}
