public import Evidence

/// Where the looks of open days are kept over a restart. To lose them can only make days unknown.
public protocol LookKeeping: Sendable {
  /// Keeps the newest histories of some users' routes, in order; the last one of a user and route counts.
  func keep(_ entries: [LookEntry]) async
  /// Keeps how far the inbox's sender has declared it complete.
  func keep(watermark: InboxWatermark) async
}

/// The history of one route for one user, as it is kept.
public struct LookEntry: Sendable, Equatable {
  /// The user's id.
  public let user: String
  /// The route.
  public let source: Source
  /// What its looks have proved.
  public let history: SourceHistory

  /// An entry.
  public init(user: String, source: Source, history: SourceHistory) {
    self.user = user
    self.source = source
    self.history = history
  }
}
