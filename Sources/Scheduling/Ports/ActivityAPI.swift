public import Evidence

/// The app's API as the scheduler sees it.
///
/// Retries, rate, credentials and time-outs are behind it. Never throws: a failed look is an outcome. Safe to call
/// from any task, for many users at once; a caller asks one question per user and source at a
/// time, and owns a unit of tracked work (``ServiceClock``).
public protocol ActivityAPI: Sendable {
  /// Looks once at one of the routes for one user.
  func look(at route: Source, user: String) async -> Look
}
