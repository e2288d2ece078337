internal import Evidence

/// One call of the API: what is asked, about whom.
struct CheerCall: Hashable, Sendable {
  /// The route that is looked at; nil for the login.
  let route: Source?
  /// The user in question.
  let user: String
}
