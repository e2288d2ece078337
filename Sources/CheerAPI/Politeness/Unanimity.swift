/// Counts different users who were told the same in a row, to tell one broken user from a broken API.
struct Unanimity {
  /// So many users in a row mean everybody.
  private static let quorum = 3

  private var users: Set<String> = []

  /// Whether so many users in a row were told so that it holds for all.
  var isReached: Bool { users.count >= Self.quorum }

  /// Notes that `user` was told so.
  mutating func note(_ user: String) {
    if !isReached { users.insert(user) }
  }

  /// Notes that some user was told otherwise: the count begins again.
  mutating func contradict() {
    if !users.isEmpty { users = [] }
  }
}
