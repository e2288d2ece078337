package import CivilTime
package import Evidence

/// Keeps the polls of open days across restarts. Losing them can only make days unknown.
///
/// Calls return at once, and entries are kept in the order of the calls.
package protocol LookKeeping: Sendable {
  /// Keeps the newest histories of some users' routes. Of several for one user and route, the last counts.
  func keep(_ entries: [LookEntry])
  /// Keeps how far the inbox's sender has declared it complete.
  func keep(inboxThrough: Instant)
  /// Replaces everything kept with these entries.
  func rewrite(_ entries: some Sequence<LookEntry>, inboxThrough: Instant?)
}

/// The history of one route for one user, as kept.
package struct LookEntry: Sendable, Equatable {
  /// The user's id.
  package let user: String
  /// The route.
  package let source: Source
  /// What the route's polls have proved.
  package let history: RouteHistory

  package init(user: String, source: Source, history: RouteHistory) {
    self.user = user
    self.source = source
    self.history = history
  }
}

/// Keeps no polls, for a dry run.
package struct NoLooks: LookKeeping {
  /// Creates a keeper that discards everything.
  package init() {}
  /// Discards the entries.
  package func keep(_ entries: [LookEntry]) {}
  /// Discards the instant.
  package func keep(inboxThrough: Instant) {}
  /// Discards the entries.
  package func rewrite(_ entries: some Sequence<LookEntry>, inboxThrough: Instant?) {}
}
