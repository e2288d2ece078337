package import Evidence

/// The app's API as the scheduler sees it.
///
/// It hides retries, the rate, credentials and time-outs. Never throws, since a failed poll is an outcome. Safe to
/// call from any task, for many users at once. A caller makes one request per user and source at a time, and owns a
/// unit of tracked work (``ServiceClock``).
package protocol ActivityAPI: Sendable {
  /// Polls one of the routes for one user.
  func look(at route: Source, user: String) async -> Look
  /// Returns whether a user's id is that of the API, or stands for one that the API can be asked for; `isPseudonym` says
  /// that it is not one of the API's.
  func canName(_ user: String, isPseudonym: Bool) -> Bool
}

extension ActivityAPI {
  /// True: most know users by the ledger's ids.
  package func canName(_ user: String, isPseudonym: Bool) -> Bool { true }
}
