/// What we hold to speak for a user.
public enum Credential: Sendable, Hashable {
  /// A token; when the API refuses it there is no other.
  case token(Secret)
  /// What is needed to log in and get a token, again and again.
  case login(email: Secret, password: Secret)
}
