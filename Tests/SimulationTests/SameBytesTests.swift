import Foundations
import TestSupport
import Testing

/// Whether a seed decides everything.
@Suite(.offThePool) struct SameBytesTests {
  private func output(of words: [String]) async throws -> String {
    let (outcome, output) = try await ChildOutput.run(
      BuiltPrograms.simulation, words, environment: nil, limitBytes: 1 << 20)
    guard outcome == .exited(0) else { return "\(outcome)" }
    return String(decoding: output, as: UTF8.self)
  }

  @Test func theSameSeedGivesTheSameBytes() async throws {
    let words = ["--seeds", "7-9", "--days", "4", "--users", "6"]
    let first = try await output(of: words)
    #expect(first.split(separator: "\n").count == 3)
    #expect(first.split(separator: "\n").allSatisfy { $0.hasSuffix(" passed") })
    #expect(try await output(of: words) == first)
  }

  @Test func nothingOfOneSeedReachesTheNext() async throws {
    let alone = try await output(of: ["--seeds", "8-8", "--days", "4", "--users", "6"])
    let together = try await output(of: ["--seeds", "7-8", "--days", "4", "--users", "6"])
    #expect(together.hasSuffix(alone))
    #expect(!alone.isEmpty)
  }
}
