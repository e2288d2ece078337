/// Where the bearer token of a call comes from.
public enum CredentialSource: Sendable {
  /// One token for all users.
  case serviceToken(Secret)
  /// One credential for each user.
  case perUser([String: Credential])

  /// The credential for `user`; nil when there is none.
  func credential(for user: String) -> Credential? {
    switch self {
    case .serviceToken(let token): .token(token)
    case .perUser(let credentials): credentials[user]
    }
  }
}

/// What we hold to speak for a user.
public enum Credential: Sendable, Hashable {
  /// A token; when the API refuses it there is no other.
  case token(Secret)
  /// What is needed to log in and get a token, again and again.
  case login(email: Secret, password: Secret)
}
