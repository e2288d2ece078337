public import Evidence

/// The daily missions and their rewards.
public struct MissionRules: Sendable, Equatable {
  /// The kinds of activity that are missions.
  public let kinds: KindSet
  // Indexed by the kind's number; empty for a kind that is not a mission.
  private let terms: [RewardTerms]
  private let durations: [ActivityKind: Int64]
  private let titles: [ActivityKind: LocalizedText]

  /// Creates missions with these rewards. `durations` holds the minimum durations in minutes, for missions that have one.
  init(
    _ rewards: [ActivityKind: RewardTerms], durations: [ActivityKind: Int64],
    titles: [ActivityKind: LocalizedText] = [:]
  ) {
    self.titles = titles
    kinds = KindSet(rewards.keys)
    var terms = Array(repeating: RewardTerms(), count: ActivityKind.numbers)
    for (kind, reward) in rewards { terms[Int(kind.rawValue)] = reward }
    self.terms = terms
    self.durations = durations
  }

  /// The missions with a minimum duration.
  public var lasting: KindSet { durations.isEmpty ? [] : KindSet(durations.keys) }

  /// Returns how many seconds of `kind` a day needs to meet the mission; nil if any duration will do.
  public func leastSeconds(of kind: ActivityKind) -> Int64? { durations[kind].map { $0 * 60 } }

  /// Returns what people call the mission named `name`; nil where the rules do not say.
  public func title(of name: String) -> LocalizedText? {
    titles.isEmpty ? nil : ActivityKind(name: name).flatMap { titles[$0] }
  }

  /// The reward of the mission `kind`; nothing if it is not a mission.
  public subscript(kind: ActivityKind) -> RewardTerms { terms[Int(kind.rawValue)] }
}
