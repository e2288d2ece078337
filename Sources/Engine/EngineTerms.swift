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

  /// Terms.
  public init(draws: DrawSecret, lagSeconds: Int64, watched: KindSet) {
    self.draws = draws
    self.lagSeconds = lagSeconds
    self.watched = watched
  }
}
