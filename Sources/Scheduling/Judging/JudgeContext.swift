import CivilTime
public import Evidence
public import RewardRules

/// What does not change from user to user while days are judged.
public struct JudgeContext: Sendable {
  /// The rules, all documents that are in force on some date.
  public var rules: RuleBook
  /// The secret of random rewards.
  public var draws: DrawSecret
  /// How stale an answer of the API may be, in seconds.
  public var lagSeconds: Int64
  /// The kinds whose source is configured.
  public var watched: KindSet

  /// A context.
  public init(rules: RuleBook, draws: DrawSecret, lagSeconds: Int64, watched: KindSet) {
    self.rules = rules
    self.draws = draws
    self.lagSeconds = lagSeconds
    self.watched = watched
  }

  /// The policy for activities on a day.
  func policy(on day: Day) -> ActivityPolicy { rules.rules(on: day)?.activity ?? ActivityPolicy() }

  /// The kinds that a mission or the streak asks for on a day.
  func kinds(on day: Day) -> KindSet { rules.rules(on: day)?.neededKinds ?? [] }
}
