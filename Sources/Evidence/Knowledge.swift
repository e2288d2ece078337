public import CivilTime

/// What the looks and the ledger know of one user, from which the facts of each day follow.
public struct Knowledge: Sendable {
  /// Evidence that stands in the ledger and may touch a day that is not closed.
  public var evidence: [RecordedEvidence]
  /// What the looks at the routes proved.
  public var histories: LookHistories
  /// Since when the inbox's lines about the user are accepted: from before, its silence proves nothing.
  public var inboxSince: Instant
  /// Up to where a reading of the inbox proves that nothing else happened.
  public var inboxThrough: Instant
  /// The kinds whose source is configured.
  public var watched: KindSet

  /// Knowledge.
  public init(
    evidence: [RecordedEvidence], histories: LookHistories,
    inboxSince: Instant = .earliest, inboxThrough: Instant,
    watched: KindSet = .all
  ) {
    self.evidence = evidence
    self.histories = histories
    self.inboxSince = inboxSince
    self.inboxThrough = inboxThrough
    self.watched = watched
  }

  /// The facts of one day: evidence that touches it, and for each other kind of `kinds` what is not covered.
  ///
  /// A gap up to the tolerated length counts as covered and is kept apart.
  public func facts(of window: UserWindow, kinds: KindSet, policy: ActivityPolicy) -> DayFacts {
    var facts = DayFacts(window: window)
    facts.watched = watched
    for kind in kinds.kinds {
      if let touch = RecordedEvidence.touch(
        of: window.window, by: kind, in: evidence, counting: policy.counts)
      {
        facts[kind] = touch
      } else if watched.contains(kind) {
        for gap in gaps(in: window.window, of: kind) {
          if gap.to <= gap.from.adding(seconds: policy.toleratedGapSeconds) {
            facts.tolerated.append(gap)
          } else {
            facts.uncovered.insert(kind)
            facts.gaps.append(gap)
          }
        }
      }
    }
    return facts
  }

  private func gaps(in window: DayWindow, of kind: ActivityKind) -> [Gap] {
    if kind.source == .inbox {
      // Up to, and not including, an instant: the reading saw every earlier one.
      var proved = Coverage()
      proved.cover(from: inboxSince, to: inboxThrough)
      return proved.gaps(from: window.start, to: window.end).map { gap in
        let cause = gap.from < inboxSince ? "user not known yet" : "not looked"
        return Gap(kind: kind, from: gap.from, to: gap.to, cause: cause)
      }
    }
    let history = histories[kind.source]
    if history.coverage.covers(from: window.start, to: window.end) { return [] }
    return history.coverage.gaps(from: window.start, to: window.end).map { gap in
      Gap(
        kind: kind, from: gap.from, to: gap.to, cause: history.cause(from: gap.from, to: gap.to))
    }
  }
}
