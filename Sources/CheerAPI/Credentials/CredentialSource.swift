/// The source of the bearer tokens for calls.
package enum CredentialSource: Sendable {
  /// One token for all users.
  case serviceToken(Secret)
  /// One credential for each user.
  case perUser([String: Credential])

  /// Returns the credential for `user`; nil if there is none.
  func credential(for user: String) -> Credential? {
    switch self {
    case .serviceToken(let token): .token(token)
    case .perUser(let credentials): credentials[user]
    }
  }
}

/// The means to act for a user.
package enum Credential: Sendable, Hashable {
  /// A token; if the API refuses it, there is no other.
  case token(Secret)
  /// An e-mail and a password to log in with for a new token, any number of times.
  case login(email: Secret, password: Secret)
}
