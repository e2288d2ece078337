import CivilTime
import Evidence
import Ledger
import RewardRules

/// The gaps left by the closes of one user's days.
struct ClosedGaps {
  private let ground: Timeline.Ground
  /// All the user's evidence.
  private let evidence: [RecordedEvidence]

  private var rules: RuleHistory { ground.rules }

  /// Collects the closes in the history of `timeline`; empty without a history.
  init(_ timeline: Timeline) {
    ground = timeline.ground
    evidence = timeline.evidence
  }

  /// Adds to `facts` what the close of the day left unknown, according to the user's own lines.
  func add(to facts: inout DayFacts, of closed: ClosedDay, _ rules: RulesDocument) {
    let wanted = facts.wanted(by: rules)
    if wanted.isEmpty { return }
    var unknown = ground.history?.unknowns[closed.day] ?? []
    unknown.formUnion(facts.outlasted)
    unknown.formUnion(silence(of: closed, wanted, unknown))
    if rules.activity.counts == .starts || !wanted.isDisjoint(with: facts.met) {
      unknown.formUnion(accomplishedAtClose(closed).intersection(wanted))
    }
    facts.uncovered = wanted.intersection(unknown)
    if facts.uncovered.isEmpty { return }
    facts.gaps = (ground.history?.gaps[closed.day] ?? []).filter {
      facts.uncovered.contains($0.kind)
    }
  }

  /// Returns the kinds that were met, and lasted long enough, under the rules of the close. For rules that want more,
  /// the ledger does not record what polls proved beyond that.
  private func accomplishedAtClose(_ closed: ClosedDay) -> KindSet {
    guard let rules = rules.book(asOf: closed.seq)?.rules(on: closed.day) else { return [] }
    return rules.accomplished(
      in: closed.window, by: evidence.lazy.filter { $0.seq < closed.seq })
  }

  /// Returns the kinds that the close did not examine.
  ///
  /// All inbox kinds are read at once, so what the inbox proved for one holds for each.
  private func silence(of closed: ClosedDay, _ wanted: KindSet, _ unknown: KindSet) -> KindSet {
    let asked = rules.book(asOf: closed.seq)?.rules(on: closed.day)?.neededKinds ?? []
    var silent = wanted.subtracting(asked)
    if !silent.isDisjoint(with: .inbox), isProved(closed, asked.intersection(.inbox), unknown) {
      silent.subtract(.inbox)
    }
    // Older versions recorded nothing for kinds without a mission except the mark of a held day.
    guard closed.watched == nil, let mark = ground.history?.marks[closed.day],
      let rules = rules.book(asOf: closed.seq)?.rules(on: closed.day)
    else { return silent }
    switch mark.what {
    case .held, .excused:
      return silent.union(rules.streak.countsAs.subtracting(rules.missions.kinds))
    case .broken, .repaired, nil: return silent
    }
  }

  /// Returns whether the close proved that one of `kinds` did not happen.
  private func isProved(_ closed: ClosedDay, _ kinds: KindSet, _ unknown: KindSet) -> Bool {
    let quiet = kinds.subtracting(unknown)
    return quiet.kinds.contains { kind in
      !evidence.contains { item in
        item.activity.kind == kind && item.seq < closed.seq
          && item.activity.effective(in: closed.window.window, counting: .overlaps) != nil
      }
    }
  }
}
