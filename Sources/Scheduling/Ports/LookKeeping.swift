public import CivilTime
public import Evidence

/// Where the looks of open days are kept over a restart. To lose them can only make days unknown.
///
/// The calls hand over and return at once; what was handed over first is kept first.
public protocol LookKeeping: Sendable {
  /// Keeps the newest histories of some users' routes, in order; the last one of a user and route counts.
  func keep(_ entries: [LookEntry])
  /// Keeps how far the inbox's sender has declared it complete.
  func keep(inboxThrough: Instant)
  /// Replaces all that was kept by just these.
  func rewrite(_ entries: some Sequence<LookEntry>, inboxThrough: Instant?)
}

/// The history of one route for one user, as it is kept.
public struct LookEntry: Sendable, Equatable {
  /// The user's id.
  public let user: String
  /// The route.
  public let source: Source
  /// What its looks have proved.
  public let history: RouteHistory

  /// Creates an entry.
  public init(user: String, source: Source, history: RouteHistory) {
    self.user = user
    self.source = source
    self.history = history
  }
}

/// Keeps no looks: for whoever only shows what would be done.
public struct ForgettingLooks: LookKeeping {
  /// Creates a keeper that forgets.
  public init() {}
  /// Forgets.
  public func keep(_ entries: [LookEntry]) {}
  /// Forgets.
  public func keep(inboxThrough: Instant) {}
  /// Forgets.
  public func rewrite(_ entries: some Sequence<LookEntry>, inboxThrough: Instant?) {}
}
