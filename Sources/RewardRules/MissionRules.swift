public import Evidence

/// The daily missions and what they give.
public struct MissionRules: Sendable, Equatable {
  /// The kinds of activity that are missions.
  public let kinds: KindSet
  // Indexed by the kind's raw value; nothing for a kind that is no mission.
  private let terms: [RewardTerms]

  init(_ rewards: [ActivityKind: RewardTerms]) {
    kinds = KindSet(rewards.keys)
    terms = ActivityKind.allCases.map { rewards[$0] ?? RewardTerms() }
  }

  /// What the mission `kind` gives; nothing when it is none.
  public subscript(kind: ActivityKind) -> RewardTerms { terms[Int(kind.rawValue)] }
}
