package import CivilTime
package import Evidence
package import RewardRules

extension RulesDocument {
  /// Returns the kinds that this evidence meets on a day, for as long as their missions ask.
  package func accomplished(
    in window: UserWindow, by evidence: some Sequence<RecordedEvidence>
  ) -> KindSet {
    var facts = DayFacts(window: window)
    facts.add(evidence, by: self)
    return facts.accomplished
  }
}

extension DayFacts {
  /// Returns the kinds that further evidence could change: those the day's rules need, without the unwatched and the
  /// accomplished.
  func wanted(by rules: RulesDocument) -> KindSet {
    rules.neededKinds.intersection(watched).subtracting(accomplished)
  }

  /// Adds evidence, given in ledger order, as the rules count it.
  mutating func add(_ evidence: some Sequence<RecordedEvidence>, by rules: RulesDocument) {
    let (window, counting, needed) = (window.window, rules.activity.counts, rules.neededKinds)
    for item in evidence where needed.contains(item.activity.kind) {
      let kind = item.activity.kind
      let believed = item.activity.believed(by: rules.activity)
      if believed.to < item.activity.to {
        let doubtful = Activity(kind: kind, from: believed.to, to: item.activity.to)
        let isEnded = evidence.contains {
          $0.activity.kind == kind && $0.activity.from == item.activity.from && !$0.activity.isOpen
        }
        if !isEnded, doubtful.effective(in: window, counting: .overlaps) != nil {
          outlasted.insert(kind)
        }
      }
      guard let effective = believed.effective(in: window, counting: counting) else { continue }
      if let known = self[kind], known.effective <= effective { continue }
      self[kind] = EarliestEvidence(effective: effective, seq: item.seq)
    }
    for kind in rules.missions.lasting.intersection(met).kinds {
      guard let least = rules.missions.leastSeconds(of: kind) else { continue }
      var time = ProvenTime(in: window, counting: counting)
      for item in evidence where item.activity.kind == kind {
        time.add(item.activity.believed(by: rules.activity), seq: item.seq)
      }
      durations.append(MissionDuration(kind, time, least: least))
    }
  }
}
