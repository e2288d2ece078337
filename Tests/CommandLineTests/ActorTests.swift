import CivilTime
import Configuration
import Failures
import Foundations
import Operations
import TestSupport
import Testing

@testable import rewards

/// Who acts, as records name them.
@Suite(.offThePool) struct ActorTests {
  /// What a record would say of somebody with the account `deploy`.
  private func actor(
    _ name: String?, isRequired: Bool = false, variables: [String: String] = [:]
  ) throws -> String {
    let folder = try TemporaryFolder()
    let file = try folder.write("rewards.json", "{\"requireActor\": \(isRequired)}")
    let sink = MemorySink()
    let environment = ProgramEnvironment(
      variables: variables, output: sink, errors: sink,
      clock: FixedClock(at: Instant(seconds: 0)), zones: testZones, account: "deploy",
      readInput: { (_) throws(ReadError) in [] })
    var arguments = ParsedArguments()
    arguments.add("config", file)
    if let name { arguments.add("actor", name) }
    let context = CommandContext(
      environment, try CommonOptions(arguments, environment: variables), name: "test")
    return try ActorArgument.parse(arguments, in: context, context.configuration())
  }

  @Test func theAccountIsTheKernelsWord() throws {
    #expect(try actor(nil, variables: ["USER": "mallory", "SUDO_USER": "mallory"]) == "deploy")
    #expect(try actor("Alice B.") == "Alice B. (account deploy)")
  }

  @Test func aNameMayBeRequired() throws {
    #expect(throws: Failure.self) { try actor(nil, isRequired: true) }
    #expect(try actor("alice", isRequired: true) == "alice (account deploy)")
  }

  @Test(arguments: [
    "", " ", "root (account root)", "a\u{1B}[31m", "a\nb", String(repeating: "a", count: 65),
  ])
  func refusesWhatCouldPassForSomethingElse(name: String) {
    #expect(throws: Failure.self) { try actor(name) }
  }
}
