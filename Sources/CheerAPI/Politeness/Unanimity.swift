/// Counts different users in a row with the same answer, to distinguish one broken user from a broken API.
struct Unanimity {
  /// After how many users in a row an answer is taken to hold for all.
  private static let quorum = 3

  private var users: Set<String> = []

  /// Whether the answer was given to enough users in a row to hold for all.
  var isReached: Bool { users.count >= Self.quorum }

  /// Records that `user` got this answer.
  mutating func note(_ user: String) {
    if !isReached { users.insert(user) }
  }

  /// Records that some user got another answer: the count starts again.
  mutating func contradict() {
    if !users.isEmpty { users = [] }
  }
}
