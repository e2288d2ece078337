import Configuration
import Foundations
import TestSupport
import Testing

@testable import rewards

/// Whatever is written, the answer is a value or a named mistake. A failure names its seed.
@Suite(.offThePool) struct MutationTests {
  private static let example = """
    {
      "data": "./data", "defaultTimeZone": "Asia/Tokyo", "rules": ["./rules.json"], // a comment
      "drawSecret": {"env": "DRAW"},
      "api": {"baseURL": "https://a.example/v1", "token": {"file": "./token"}, "concurrency": 64},
      "relay": {
        "notify": {"kind": "webhook", "url": "https://relay.example/", "secret": {"env": "S"}},
        "journal": {"kind": "file", "path": "./events.jsonl"}
      },
      "guard": {"breakFactor": 5}, "admin": {"listen": "127.0.0.1:9464"}
    }
    """

  private static func damaged(_ random: inout SplitMix64) -> String {
    var bytes = Array(example.utf8)
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...127, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(bytes[place], at: place)
      default: bytes.removeSubrange(place...)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func aDamagedConfigurationIsReadOrExplained(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let folder = try TemporaryFolder()
    let file = try folder.write("rewards.json", Self.damaged(&random))
    let answer = Result { () throws(ConfigurationError) in
      try ConfigurationLoader(environment: [:], zones: testZones).load(file: file)
    }
    switch answer {
    case .success(let loaded): #expect(!loaded.settings.isEmpty)
    case .failure(.invalid(let problems)):
      #expect(!problems.isEmpty)
      #expect(problems.allSatisfy { $0.place.hasPrefix("\(file):") && !$0.what.isEmpty })
    case .failure(.unreadable(let error)): Issue.record(error)
    }
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func aShuffledCommandLineIsReadOrExplained(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pool =
      (CommandList.all.map { $0.spec.name } + CommandList.former.map(\.name))
      .flatMap { $0.split(separator: " ").map { String($0) } }
      + CommandOption.common.flatMap { ["--\($0.name)", "--\($0.name)=x"] }
      + ["", "-", "--", "---", "=", "--=", "-h", "help", "1", "ä", "--at", "--zone=UTC"]
    let words = (0..<Int.random(in: 0...6, using: &random)).map { _ in
      pool.randomElement(using: &random) ?? ""
    }
    let answer = Result { () throws(UsageError) in
      try ArgumentParser(commands: CommandList.all).parse(words)
    }
    switch answer {
    case .success(.command(let command, let parsed)):
      #expect(parsed.arguments.count <= command.spec.arguments.count)
    case .success(.help(let spec, _)): #expect(!HelpText().text(of: spec, inDatabase: true).isEmpty)
    case .success(.topic(let page)): #expect(!page.page.blocks.isEmpty)
    case .success(.overview(let group, _)):
      let text = HelpText().overview(group: group, inDatabase: false)
      #expect(text.contains(group.isEmpty ? "Every day:" : "Commands:"))
    case .failure(let error):
      #expect(!error.cause.isEmpty)
      #expect(!error.hint.isEmpty)
    }
  }
}
