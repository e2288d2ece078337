public import Evidence
public import RewardRules

/// What does not change from user to user while days are evaluated, besides what the ledger says.
public struct EngineTerms: Sendable {
  /// The secret of random rewards.
  public var draws: DrawSecret
  /// How stale an answer of the API may be, in seconds.
  public var lagSeconds: Int64
  /// The kinds whose source is configured.
  public var watched: KindSet
  /// Whether route 196 is asked: a rise of its number confirms a follow, and its silence is needed to deny one.
  public var countsFollows: Bool

  /// Terms.
  public init(draws: DrawSecret, lagSeconds: Int64, watched: KindSet, countsFollows: Bool = false) {
    self.draws = draws
    self.lagSeconds = lagSeconds
    self.watched = watched
    self.countsFollows = countsFollows
  }

  /// Returns whether a route is asked at all.
  public func asks(_ route: Source) -> Bool {
    guard let kind = route.polledKind, watched.contains(kind) else { return false }
    return route != .follows || countsFollows
  }

  /// Returns the sources whose silence proves that nothing of `kind` happened.
  public func sources(of kind: ActivityKind) -> [Source] {
    kind == .follow && countsFollows ? [kind.source, .follows] : [kind.source]
  }
}
