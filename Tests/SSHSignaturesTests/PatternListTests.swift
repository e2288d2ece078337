import TestSupport
import Testing

@testable import SSHSignatures

@Suite(.offThePool) struct PatternListTests {
  @Test(arguments: [
    ("alice", "alice", true), ("alice", "alic", false), ("alic", "alice", false),
    ("ali?e", "alice", true), ("?????", "alice", true), ("??????", "alice", false),
    ("*", "alice", true), ("*", "", true), ("", "", false), ("", "alice", false),
    ("a*e", "alice", true), ("a*c", "alice", false), ("*a*", "alice", true), ("**e", "alice", true),
    ("*ab*ab", "abaab", true), ("*@example.org", "alice@example.org", true),
    ("*@example.org", "alice@example.com", false), ("bob,alice", "alice", true),
    ("bob,,alice", "alice", true), ("bob,alice", "bob,alice", false), ("Alice", "alice", false),
    ("!bob,*", "alice", true), ("!bob,*", "bob", false), ("*,!bob", "bob", false),
    ("!bob", "alice", false), ("!*,alice", "alice", false), ("!", "alice", false),
  ])
  func listsMatchAsInSSHConfig(list: String, name: String, matches: Bool) {
    #expect(PatternList(Array(list.utf8)).matches(name) == matches)
  }

  @Test(arguments: Seeds.some(6, of: 1..<500))
  func starsMatchWhatTheirDefinitionSays(seed: Int) {
    var random = SeededGenerator(seed)
    for _ in 0..<500 {
      let pattern = random.text(of: "ab?**", upTo: 8)
      let name = random.text(of: "ab", upTo: 8)
      #expect(
        PatternList(Array(pattern.utf8)).matches(name)
          == (!pattern.isEmpty && Self.matches(name[...], pattern[...])), "\(pattern) \(name)")
    }
  }

  @Test func manyStarsCostLittle() {
    let pattern = String(repeating: "*a", count: 200) + "b"
    #expect(!PatternList(Array(pattern.utf8)).matches(String(repeating: "a", count: 2_000)))
  }

  /// The definition, which tries everything.
  private static func matches(_ name: Substring, _ pattern: Substring) -> Bool {
    guard let first = pattern.first else { return name.isEmpty }
    let rest = pattern.dropFirst()
    if first == "*" {
      return name.indices.contains { matches(name[$0...], rest) } || matches("", rest)
    }
    return !name.isEmpty && (first == "?" || first == name.first) && matches(name.dropFirst(), rest)
  }
}

extension SeededGenerator {
  /// A text of up to `count` of these characters.
  fileprivate mutating func text(of characters: String, upTo count: Int) -> String {
    String(
      (0..<Int.random(in: 0...count, using: &self)).compactMap { _ in
        characters.randomElement(using: &self)
      })
  }
}
