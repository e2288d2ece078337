import Foundation
import TestSupport
import Testing

@testable import rewards

/// Recorded runs of the built program. `REWARDS_UPDATE_GOLDEN=1` records them anew instead of comparing.
@Suite(.offThePool) struct GoldenTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Golden")
  private static let isRecording =
    ProcessInfo.processInfo.environment["REWARDS_UPDATE_GOLDEN"] == "1"

  /// Every recorded case, and one for the help of every command.
  private static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let recorded = files.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }
    return Set(recorded + CommandList.all.map { helpName(of: $0) }).sorted()
  }()

  private static func helpName(of command: any Command.Type) -> String {
    "help-" + command.spec.name.replacing(" ", with: "-")
  }

  /// What to run for a name that has not been recorded yet: the help of a command.
  private static func newCase(_ name: String) -> GoldenCase? {
    guard let command = CommandList.all.first(where: { helpName(of: $0) == name }) else {
      return nil
    }
    let words = command.spec.name.split(separator: " ").map { String($0) }
    return GoldenCase(about: "The help of a command.\n", arguments: ["help"] + words)
  }

  @Test(arguments: names)
  func runsAsRecorded(name: String) async throws {
    let file = Self.folder.appendingPathComponent("\(name).txt")
    if Self.isRecording {
      let recorded = (try? String(contentsOf: file, encoding: .utf8)).map { GoldenCase($0) }
      var golden = try #require(recorded ?? Self.newCase(name))
      golden.outcome = try await ProgramUnderTest.run(golden)
      try Data(golden.text.utf8).write(to: file)
    }
    let golden = GoldenCase(try String(contentsOf: file, encoding: .utf8))
    let expected = try #require(golden.outcome, "the case has no outcome")
    #expect(try await ProgramUnderTest.run(golden) == expected)
  }

  @Test func thereAreCasesBesidesHelp() {
    #expect(Self.names.count { !$0.hasPrefix("help-") } >= 10)
  }
}
