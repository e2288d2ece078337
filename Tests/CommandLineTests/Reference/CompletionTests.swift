import Foundation
import Foundations
import TestSupport
import Testing

@testable import rewards

@Suite(.offThePool) struct CompletionTests {
  /// The shell did not take the script.
  private struct Failed: Error {}

  private static let scripts = ShellCompletion.allCases.map(\.script)

  /// What bash offers at the end of a command line.
  private func offers(_ line: String) async throws -> Set<String> {
    let folder = try TemporaryFolder()
    let words = line.replacing("rewards ", with: "\(BuiltPrograms.rewards) ", maxReplacements: 1)
      .split(separator: " ", omittingEmptySubsequences: false)
    let array = words.map { "'\($0)'" }.joined(separator: " ")
    _ = try folder.write(
      "try.bash",
      ShellCompletion.bash.script + """
        COMP_WORDS=(\(array)); COMP_CWORD=\(words.count - 1); _rewards
        printf '%s\\n' "${COMPREPLY[@]}"

        """)
    _ = try folder.write(
      "users.jsonl", "{\"timezone\":\"Asia/Tokyo\", \"user\" : \"ann\"}\nbroken\n{\"user\":4711}\n")
    _ = try folder.write(
      "rewards.json",
      "{\"relay\": {\"notify\": {\"kind\": \"file\", \"path\": \"./events.jsonl\"}}}")
    for name in ["data", "jobs"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
    }
    _ = try folder.write(
      "jobs/night.json",
      "{\"name\":\"nightly\",\"schedule\":\"@daily\",\"timeZone\":\"user\",\"do\":[\"reconcile\"]}")
    _ = try folder.write("a $(touch x) b", "")
    let child = try ChildProcess(
      "/bin/bash", ["try.bash"], environment: [:], folder: folder.path,
      output: .file("\(folder.path)/output"), errors: .file("\(folder.path)/errors"))
    guard await child.ended() == .exited(0) else { throw Failed() }
    let output = try String(contentsOfFile: "\(folder.path)/output", encoding: .utf8)
    guard try String(contentsOfFile: "\(folder.path)/errors", encoding: .utf8).isEmpty else {
      throw Failed()
    }
    return Set(output.split(separator: "\n").map { String($0) })
  }

  @Test(arguments: [
    ("rewards recon", ["reconcile"]), ("rewards ledger ver", ["verify"]),
    ("rewards relay re", ["replay", "resume"]), ("rewards help conf", ["configuration"]),
    ("rewards --data ledger bal", ["balance"]), ("rewards balance --format ", ["text", "json"]),
    ("rewards --log-level w", ["warning"]), ("rewards reconcile --pro", ["--prove"]),
    ("rewards users import us", ["users.jsonl"]), ("rewards ledger backup d", ["data"]),
    ("rewards audit --html us", ["users.jsonl"]), ("rewards completion ", ["bash", "zsh", "fish"]),
    ("rewards schema ledger-h", ["ledger-head"]), ("rewards man inb", ["inbox"]),
    ("rewards balance 4711 --al", ["--all"]), ("rewards explain 4711 y", ["yesterday"]),
    ("rewards jobs pause ni", ["nightly"]), ("rewards run jobs/ni", ["jobs/night.json"]),
    ("rewards run ni", ["nightly"]), ("rewards relay pause n", ["notify"]),
    ("rewards relay dead --sink no", ["notify"]), ("rewards user a", ["ann"]),
    ("rewards tail --user 4", ["4711"]), ("rewards reconcile --zone Asia/Tok", ["Asia/Tokyo"]),
    ("rewards --config rewards.json user 4", ["4711"]), ("rewards --config none user 4", []),
    ("rewards --config = rewards.json user 4", ["4711"]), ("rewards --config = none user 4", []),
    ("rewards balance --format = te", ["text"]), ("rewards balance --format =", ["text", "json"]),
    ("rewards users import a", ["a\\ \\$\\(touch\\ x\\)\\ b"]),
  ])
  func bashOffers(line: String, expected: [String]) async throws {
    #expect(try await offers(line) == Set(expected))
  }

  @Test func bashOffersEveryCommand() async throws {
    let firsts = CommandList.all.map { String($0.spec.name.prefix { $0 != " " }) }
    #expect(try await offers("rewards ") == Set(firsts + ["help"]))
  }

  @Test(arguments: CommandList.all.map { $0.spec.name })
  func everyShellKnowsEveryOption(name: String) throws {
    let spec = try #require(CommandList.all.first { $0.spec.name == name }).spec
    let step = try #require(CompletionTable().steps.first { $0.path == name })
    #expect(step.options.map(\.name) == (spec.options + CommandOption.common).map(\.name))
    for script in Self.scripts {
      #expect(script.contains("'\(name)'"))
      for option in spec.options { #expect(script.contains(option.name)) }
    }
  }
}
