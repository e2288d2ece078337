public import Evidence

/// The daily missions and what they give.
public struct MissionRules: Sendable, Equatable {
  /// The kinds of activity that are missions.
  public let kinds: KindSet
  // Indexed by the kind's raw value; nothing for a kind that is no mission.
  private let terms: [RewardTerms]
  private let durations: [ActivityKind: Int64]

  /// `durations` are the least durations in minutes, of missions that have one.
  init(_ rewards: [ActivityKind: RewardTerms], durations: [ActivityKind: Int64]) {
    kinds = KindSet(rewards.keys)
    terms = ActivityKind.allCases.map { rewards[$0] ?? RewardTerms() }
    self.durations = durations
  }

  /// The kinds of which a mission may want a least duration: the others have none.
  static let lastingKinds: KindSet = [KindSet(.stream), KindSet(.watch)]

  /// The missions that have a least duration.
  public var lasting: KindSet { durations.isEmpty ? [] : KindSet(durations.keys) }

  /// For how many seconds of a day one must do `kind` until its mission is met; nil when any time will do.
  public func leastSeconds(of kind: ActivityKind) -> Int64? { durations[kind].map { $0 * 60 } }

  /// What the mission `kind` gives; nothing when it is none.
  public subscript(kind: ActivityKind) -> RewardTerms { terms[Int(kind.rawValue)] }
}
