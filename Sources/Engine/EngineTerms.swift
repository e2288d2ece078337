package import Evidence
package import RewardRules

/// The inputs to evaluation, besides the ledger, that are the same for all users.
package struct EngineTerms: Sendable {
  /// The secret for random rewards.
  package var draws: DrawSecret
  /// How stale an API answer may be, in seconds.
  package var lagSeconds: Int64
  /// The kinds with a configured source.
  package var watched: KindSet
  /// Whether route 196 is polled. A rise of its count confirms a follow, and denying a follow needs its silence.
  package var countsFollows: Bool
  /// How long a new user may wait for the first poll, in seconds.
  package var firstPollSeconds: Int64

  /// Creates terms.
  package init(
    draws: DrawSecret, lagSeconds: Int64, watched: KindSet, countsFollows: Bool = false,
    firstPollSeconds: Int64 = 3_600
  ) {
    self.draws = draws
    self.lagSeconds = lagSeconds
    self.watched = watched
    self.countsFollows = countsFollows
    self.firstPollSeconds = firstPollSeconds
  }

  /// Returns whether a route is polled at all.
  package func polls(_ route: Source) -> Bool {
    guard let kind = route.polledKind, watched.contains(kind) else { return false }
    return !route.isCounter || countsFollows
  }

  /// Returns the polled route that counts activities of `kind`; nil if there is none.
  func counter(of kind: ActivityKind) -> Source? { countsFollows ? kind.counter : nil }

  /// Returns the sources whose silence proves that no activity of `kind` happened.
  package func sources(of kind: ActivityKind) -> [Source] {
    counter(of: kind).map { [kind.source, $0] } ?? [kind.source]
  }
}
