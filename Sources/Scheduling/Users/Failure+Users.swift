package import Failures

extension Failure {
  /// Returns the failure for a user whom the ledger does not know.
  package static func unknownUser(_ user: String) -> Failure {
    Failure(
      .badData, "there is no such user in the ledger", place: "user \"\(user)\"",
      remedy: "See rewards users list TEXT.")
  }

  /// Returns the failure for a user who is not in the roster or has left it.
  package static func noMember(_ user: String) -> Failure {
    Failure(
      .badData, "there is no such user in the roster", place: "user \"\(user)\"",
      remedy: "See rewards users list.")
  }
}
