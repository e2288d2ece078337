package import CivilTime
import Evidence
import Ledger
import RewardRules

/// Up to which ledger line facts count for closed days. For open days all facts count.
package enum FactCutoff: Sendable {
  /// Up to the line that closed the day, or to the line known to a later plan for the day.
  case whatWasKnown
  /// Up to the line that closed the day, regardless of later plans.
  case whatTheCloseKnew
  /// Like `whatWasKnown`, but up to the line `through` for these days.
  case everything(in: ClosedRange<Day>, through: UInt64)

  /// Returns the last line that counts for a closed day.
  func last(for day: ClosedDay) -> UInt64 {
    switch self {
    case .whatWasKnown: day.known
    case .whatTheCloseKnew: day.seq
    case .everything(let days, let through):
      days.contains(day.day) ? max(day.known, through) : day.known
    }
  }
}

/// Finds the facts of one day after another, in order.
///
/// Sweeps the evidence along with the days, so that the cost of a long past is linear in its days.
struct FactFinder {
  private let timeline: Timeline
  private let cutoff: FactCutoff
  private let closingThrough: Instant?
  private let silentFrom: Instant?
  /// The evidence, ordered by start.
  private let evidence: [RecordedEvidence]
  private var nextEvidence = 0
  /// The evidence that may touch the current day or a later one, in ledger order.
  private var candidates: [RecordedEvidence] = []
  /// What the user received outside the rules, including manual grants, in order of effect.
  private let credits: [RecordedCredit]
  /// What the closes left unknown.
  private let closedGaps: ClosedGaps
  private let inbox: InboxProof
  /// The number of closed days requested so far.
  private var closedDays = 0

  /// Creates a finder for days that end by `end`. Days that end by `closingThrough` are being closed; gaps of days
  /// that begin at `silentFrom` or later hide nothing.
  init(
    _ timeline: Timeline, cutoff: FactCutoff, through end: Instant, closingThrough: Instant?,
    silentFrom: Instant?
  ) {
    self.timeline = timeline
    self.cutoff = cutoff
    self.closingThrough = closingThrough
    self.silentFrom = silentFrom
    evidence =
      timeline.evidence.count < 2
      ? timeline.evidence
      : timeline.evidence.filter { $0.activity.from < end }
        .sorted { $0.activity.from < $1.activity.from }
    credits = timeline.creditsAndGifts
    closedGaps = ClosedGaps(timeline)
    inbox = InboxProof(through: timeline.inboxThrough, absences: timeline.account.allAbsences)
  }

  /// Returns the facts of a closed day with its rules; nil if no rules are in force on it.
  mutating func facts(of closed: ClosedDay) -> (facts: DayFacts, rules: RulesDocument)? {
    let last = cutoff.last(for: closed)
    let next = timeline.nextDay(afterClosed: closedDays)
    closedDays += 1
    guard let rules = timeline.rules(on: closed.day, asOf: last) else { return nil }
    var facts = DayFacts(window: closed.window)
    facts.isClosing = true
    facts.watched = closed.watched ?? timeline.terms.watched
    addEvidence(asOf: last, rules, to: &facts)
    closedGaps.add(to: &facts, of: closed, rules)
    add(asOf: last, before: next, rules, to: &facts)
    return (facts, rules)
  }

  /// Returns the facts of an open day with its rules; nil if no rules are in force on it.
  mutating func facts(of window: UserWindow) -> (facts: DayFacts, rules: RulesDocument)? {
    let last = timeline.openThrough
    guard let rules = timeline.rules(on: window.day, asOf: last) else { return nil }
    var facts = DayFacts(window: window)
    facts.watched = timeline.terms.watched
    addEvidence(asOf: last, rules, to: &facts)
    addGaps(rules, to: &facts)
    // Does not use the start of the next open window, because a close sees only its own day.
    add(asOf: last, before: timeline.account.nextDay(after: window.end), rules, to: &facts)
    if let closingThrough { facts.isClosing = window.end <= closingThrough }
    return (facts, rules)
  }

  /// Adds outages, pardons and credits. `next` is the start of the user's next day. The gaps must already be added.
  private func add(
    asOf last: UInt64, before next: Instant, _ rules: RulesDocument, to facts: inout DayFacts
  ) {
    let window = facts.window
    if !timeline.excuses.isEmpty { facts.isExcused = isExcused(facts, asOf: last, rules) }
    if !credits.isEmpty {
      facts.credits = credits.filter {
        $0.seq <= last && window.start <= $0.credit.effective && $0.credit.effective < next
      }.map(\.credit)
    }
  }

  /// Returns whether a pardon covers the day, or an outage that hid something the streak needs. What was fully seen
  /// stays as it was seen.
  private func isExcused(_ facts: DayFacts, asOf last: UInt64, _ rules: RulesDocument) -> Bool {
    let hidden = facts.uncovered.intersection(rules.streak.countsAs)
    return LedgerState.standing(timeline.excuses, asOf: last).contains { excuse in
      guard excuse.covers(timeline.account.id, on: facts.window.day),
        excuse.record.zone.map({ $0 == facts.window.zone }) ?? true
      else { return false }
      guard let outage = excuse.record.outage else { return true }
      return facts.gaps.contains {
        hidden.contains($0.kind) && outage.meets(from: $0.from, to: $0.to)
      }
    }
  }

  private mutating func addEvidence(
    asOf last: UInt64, _ rules: RulesDocument, to facts: inout DayFacts
  ) {
    sweep(to: facts.window.window)
    facts.add(candidates.lazy.filter { $0.seq <= last }, by: rules)
  }

  /// Adds the gaps in an open day's polls. Gaps within the tolerated length count as covered and are kept separately.
  private func addGaps(_ rules: RulesDocument, to facts: inout DayFacts) {
    let window = facts.window.window
    let isSilent = silentFrom.map { $0 <= window.start } ?? false
    let wanted = facts.wanted(by: rules)
    facts.uncovered = wanted.intersection(facts.outlasted)
    for kind in facts.uncovered.kinds {
      facts.gaps.append(Gap(kind: kind, from: window.start, to: window.end, cause: "no end told"))
    }
    // What an interrupted close recorded about the day stands, because later polls do not prove a break.
    if !isSilent, let told = timeline.account.unknowns.first(where: { $0.day == window.day }) {
      facts.uncovered.formUnion(wanted.intersection(told.kinds))
    }
    for kind in wanted.kinds {
      var gaps =
        kind.source == .inbox
        ? inbox.gaps(in: window, of: kind)
        : timeline.looks[kind.source].gaps(in: window, of: kind)
      if let counter = timeline.terms.counter(of: kind) {
        gaps += timeline.looks[counter].gaps(in: window, of: kind)
      }
      for gap in gaps {
        if gap.to <= gap.from.adding(seconds: rules.activity.toleratedGapSeconds) {
          facts.tolerated.append(gap)
        } else {
          if !isSilent { facts.uncovered.insert(kind) }
          facts.gaps.append(gap)
        }
      }
    }
  }

  private mutating func sweep(to window: DayWindow) {
    if !candidates.isEmpty { candidates.removeAll { $0.activity.to < window.start } }
    let known = candidates.count
    while nextEvidence < evidence.count, evidence[nextEvidence].activity.from < window.end {
      let item = evidence[nextEvidence]
      nextEvidence += 1
      if item.activity.to >= window.start { candidates.append(item) }
    }
    if candidates.count > known, candidates.count > 1 { candidates.sort { $0.seq < $1.seq } }
  }
}

extension Timeline {
  /// Returns the start of the day after the closed one at `place` in the history. Credits from a time between the two, when the user was
  /// away, count to the closed one.
  func nextDay(afterClosed place: Int) -> Instant {
    let days = history?.days ?? []
    return place + 1 < days.count ? days[place + 1].window.start : account.boundary
  }

  /// What the user received outside the rules, including manual grants, in order of effect.
  fileprivate var creditsAndGifts: [RecordedCredit] {
    let gifts = grants.indices.compactMap { index -> RecordedCredit? in
      guard grants[index].key == nil else { return nil }
      let grant = grants[index]
      guard grant.isManual, !grant.isReversed else { return nil }
      // A person gives it on the running day, so it is always known.
      return RecordedCredit(
        credit: Credit(effective: grant.effective, exp: grant.net.exp, items: grant.net.items),
        seq: 0)
    }
    let all = credits + gifts
    return all.count < 2 ? all : all.sorted { $0.credit.counts(before: $1.credit) }
  }
}
