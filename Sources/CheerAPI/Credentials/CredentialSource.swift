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
