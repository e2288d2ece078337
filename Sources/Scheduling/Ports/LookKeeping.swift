public import CivilTime
public import Evidence

/// Keeps the looks of open days across restarts. Losing them can only make days unknown.
///
/// Calls return at once, and entries are kept in the order of the calls.
public protocol LookKeeping: Sendable {
  /// Keeps the newest histories of some users' routes. Of several for one user and route, the last counts.
  func keep(_ entries: [LookEntry])
  /// Keeps how far the inbox's sender has declared it complete.
  func keep(inboxThrough: Instant)
  /// Replaces everything kept with these entries.
  func rewrite(_ entries: some Sequence<LookEntry>, inboxThrough: Instant?)
}

/// The history of one route for one user, as kept.
public struct LookEntry: Sendable, Equatable {
  /// The user's id.
  public let user: String
  /// The route.
  public let source: Source
  /// What the route's looks have proved.
  public let history: RouteHistory

  /// Creates an entry.
  public init(user: String, source: Source, history: RouteHistory) {
    self.user = user
    self.source = source
    self.history = history
  }
}

/// Keeps no looks, for a dry run.
public struct NoLooks: LookKeeping {
  /// Creates a keeper that discards everything.
  public init() {}
  /// Discards the entries.
  public func keep(_ entries: [LookEntry]) {}
  /// Discards the instant.
  public func keep(inboxThrough: Instant) {}
  /// Discards the entries.
  public func rewrite(_ entries: some Sequence<LookEntry>, inboxThrough: Instant?) {}
}
