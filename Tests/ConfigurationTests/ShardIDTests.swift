import Configuration
import TestSupport
import Testing

/// Where users are, among several ledgers.
@Suite(.offThePool) struct ShardIDTests {
  /// Worked out by Python's hashlib.
  @Test(arguments: [
    ("u1", [0, 0, 2, 10, 186]), ("u2", [0, 1, 3, 15, 255]), ("user-05", [0, 0, 0, 8, 40]),
    ("4711", [0, 0, 2, 10, 106]), ("a.b_c-D", [0, 0, 2, 2, 226]),
  ])
  func aUsersShardFollowsFromTheId(_ user: String, _ expected: [Int]) {
    let counts = [1, 2, 4, 16, 256]
    #expect(counts.map { ShardID.number(of: user, among: $0) } == expected)
    for (count, number) in zip(counts, expected) {
      #expect((0..<count).filter { ShardID($0, of: count).holds(user) } == [number])
    }
  }
}
