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

  /// The recorded cases. What commands say of themselves stands on the page of all commands, which is recorded too.
  private static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted()
  }()

  @Test(arguments: names)
  func runsAsRecorded(name: String) async throws {
    let file = Self.folder.appendingPathComponent("\(name).txt")
    if Self.isRecording {
      var golden = GoldenCase(try String(contentsOf: file, encoding: .utf8))
      golden.outcome = try await ProgramUnderTest.run(golden)
      try Data(golden.text.utf8).write(to: file)
    }
    let golden = GoldenCase(try String(contentsOf: file, encoding: .utf8))
    let expected = try #require(golden.outcome, "the case has no outcome")
    #expect(try await ProgramUnderTest.run(golden) == expected)
  }

  @Test func thereAreCases() { #expect(Self.names.count > 300) }
}
