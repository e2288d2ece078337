/// A comma-separated pattern list of ssh_config(5): `*` matches any bytes, `?` matches one, and a pattern after `!`
/// excludes what it matches.
package struct PatternList: Hashable, Sendable {
  /// The list as written.
  package let text: String
  private let patterns: [Pattern]

  private struct Pattern: Hashable {
    var bytes: [UInt8]
    var isNegated: Bool
  }

  init(_ bytes: [UInt8]) {
    text = String(decoding: bytes, as: UTF8.self)
    patterns = bytes.split(separator: UInt8(ascii: ",")).map { pattern in
      let isNegated = pattern.first == UInt8(ascii: "!")
      return Pattern(bytes: Array(isNegated ? pattern.dropFirst() : pattern), isNegated: isNegated)
    }
  }

  /// Returns whether a pattern matches `name` and no negated one does.
  package func matches(_ name: String) -> Bool {
    let name = Array(name.utf8)
    let matching = patterns.filter { Self.matches(name, $0.bytes) }
    return !matching.isEmpty && !matching.contains { $0.isNegated }
  }

  /// Backtracks to the last star only, so the time is bounded by the product of the lengths.
  private static func matches(_ name: [UInt8], _ pattern: [UInt8]) -> Bool {
    var (next, expected) = (0, 0)
    var lastStar: (next: Int, expected: Int)?
    while next < name.count {
      let wanted = expected < pattern.count ? pattern[expected] : nil
      if wanted == UInt8(ascii: "*") {
        expected += 1
        lastStar = (next, expected)
      } else if wanted == UInt8(ascii: "?") || wanted == name[next] {
        next += 1
        expected += 1
      } else if let star = lastStar {
        next = star.next + 1
        expected = star.expected
        lastStar = (next, expected)
      } else {
        return false
      }
    }
    return pattern[expected...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
