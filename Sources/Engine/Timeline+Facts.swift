public import CivilTime
import Evidence
import Ledger
import RewardRules

/// Up to which line of the ledger facts count for closed days. For open days all facts count.
public enum Knowing: Sendable {
  /// Up to the line that closed a day, or that a plan knew which brought in more.
  case whatWasKnown
  /// The same, but for these days up to the line `through`.
  case everything(in: ClosedRange<Day>, through: UInt64)

  /// The last line that counts for a closed day.
  func last(for day: ClosedDay) -> UInt64 {
    if case .everything(let days, let through) = self, days.contains(day.day) {
      return max(day.known, through)
    }
    return day.known
  }
}

/// Finds what is known of one day after the other, in order.
///
/// Evidence is swept along with the days, so that a long past costs as much as its days.
struct FactFinder {
  private let timeline: Timeline
  private let knowing: Knowing
  private let closingThrough: Instant?
  /// All evidence by the instants at which it begins.
  private let evidence: [RecordedEvidence]
  private var nextEvidence = 0
  /// The evidence that may touch the day at hand or a later one, in the order of the ledger.
  private var candidates: [RecordedEvidence] = []
  /// What the user got besides the rules, grants by hand among it, by effect.
  private let credits: [RecordedCredit]
  /// How many closed days were asked for.
  private var closedDays = 0

  /// Days that end by `closingThrough` are being closed.
  init(_ timeline: Timeline, knowing: Knowing, closingThrough: Instant?) {
    self.timeline = timeline
    self.knowing = knowing
    self.closingThrough = closingThrough
    let isOrdered = timeline.evidence.count < 2
    evidence =
      isOrdered
      ? timeline.evidence : timeline.evidence.sorted { $0.activity.from < $1.activity.from }
    credits = timeline.creditsAndGifts
  }

  /// What is known of a closed day; nil when no rules are in force on it.
  mutating func facts(of closed: ClosedDay) -> (facts: DayFacts, rules: RulesDocument)? {
    let last = knowing.last(for: closed)
    closedDays += 1
    let days = timeline.history?.days ?? []
    let next =
      closedDays < days.count ? days[closedDays].window.start : timeline.account.boundary
    guard let rules = timeline.rules(on: closed.day, asOf: last) else { return nil }
    var facts = DayFacts(window: closed.window)
    facts.isClosing = true
    facts.watched = closed.watched ?? timeline.terms.watched
    addEvidence(asOf: last, rules, to: &facts)
    timeline.addGaps(of: closed, rules, to: &facts)
    add(asOf: last, before: next, to: &facts)
    return (facts, rules)
  }

  /// What is known of an open day; nil when no rules are in force on it.
  mutating func facts(of window: UserWindow) -> (facts: DayFacts, rules: RulesDocument)? {
    guard let rules = timeline.rules(on: window.day, asOf: .max) else { return nil }
    var facts = DayFacts(window: window)
    facts.watched = timeline.terms.watched
    addEvidence(asOf: .max, rules, to: &facts)
    timeline.addGaps(of: window, rules, to: &facts)
    // Not where the next open window begins: a close sees its own day only.
    add(asOf: .max, before: timeline.account.nextDay(after: window.end), to: &facts)
    if let closingThrough { facts.isClosing = window.end <= closingThrough }
    return (facts, rules)
  }

  /// `next` is where the user's next day begins.
  private func add(asOf last: UInt64, before next: Instant, to facts: inout DayFacts) {
    let (user, window) = (timeline.account.id, facts.window)
    if !timeline.excuses.isEmpty {
      facts.isExcused = timeline.excuses.contains { excuse in
        excuse.seq <= last && excuse.covers(user, on: window.day)
      }
    }
    if !credits.isEmpty {
      facts.credits = credits.filter {
        $0.seq <= last && window.start <= $0.credit.effective && $0.credit.effective < next
      }.map(\.credit)
    }
  }

  private mutating func addEvidence(
    asOf last: UInt64, _ rules: RulesDocument, to facts: inout DayFacts
  ) {
    let window = facts.window.window
    sweep(to: window)
    let needed = rules.neededKinds
    for item in candidates where item.seq <= last && needed.contains(item.activity.kind) {
      guard let effective = item.activity.effective(in: window, counting: rules.activity.counts)
      else { continue }
      let kind = item.activity.kind
      if let known = facts[kind], known.effective <= effective { continue }
      facts[kind] = EarliestEvidence(effective: effective, seq: item.seq)
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
  /// What the user got besides the rules, grants by hand among it, in order of effect.
  fileprivate var creditsAndGifts: [RecordedCredit] {
    let gifts = grants.compactMap { grant -> RecordedCredit? in
      guard grant.isManual, !grant.isReversed else { return nil }
      // A person gives something on the running day: it is known from then on.
      return RecordedCredit(
        credit: Credit(effective: grant.effective, exp: grant.net.exp, items: grant.net.items),
        seq: 0)
    }
    let all = credits + gifts
    return all.count < 2 ? all : all.sorted { $0.credit.effective < $1.credit.effective }
  }

  /// Adds what the looks do not cover of an open day. A gap up to the tolerated length counts as covered and is kept apart.
  fileprivate func addGaps(
    of window: UserWindow, _ rules: RulesDocument, to facts: inout DayFacts
  ) {
    for kind in rules.neededKinds.intersection(terms.watched).subtracting(facts.met).kinds {
      for gap in gaps(in: window.window, of: kind) {
        if gap.to <= gap.from.adding(seconds: rules.activity.toleratedGapSeconds) {
          facts.tolerated.append(gap)
        } else {
          facts.uncovered.insert(kind)
          facts.gaps.append(gap)
        }
      }
    }
  }

  private func gaps(in window: DayWindow, of kind: ActivityKind) -> [Gap] {
    if kind.source == .inbox {
      // Up to, and not including, an instant: the reading saw every earlier one.
      if account.absences.isEmpty, window.end <= inboxThrough { return [] }
      var proved = Coverage()
      var presentFrom = Instant.earliest
      for absence in account.absences {
        proved.cover(from: presentFrom, to: min(absence.from, inboxThrough))
        presentFrom = absence.to
      }
      proved.cover(from: presentFrom, to: inboxThrough)
      return proved.gaps(from: window.start, to: window.end).map { gap in
        Gap(kind: kind, from: gap.from, to: gap.to, cause: causeOfSilence(from: gap.from))
      }
    }
    let looks = looks[kind.source]
    if looks.coverage.covers(from: window.start, to: window.end) { return [] }
    return looks.coverage.gaps(from: window.start, to: window.end).map { gap in
      Gap(kind: kind, from: gap.from, to: gap.to, cause: looks.cause(from: gap.from, to: gap.to))
    }
  }

  /// Why the inbox proves nothing from `instant` on.
  private func causeOfSilence(from instant: Instant) -> String {
    guard let absence = account.absences.last(where: { $0.from <= instant && instant < $0.to })
    else { return "not looked" }
    return absence.from == .earliest ? "user not known yet" : "user not in the roster"
  }

  /// Adds what the close of a day could not tell, as the user's own lines say.
  fileprivate func addGaps(of closed: ClosedDay, _ rules: RulesDocument, to facts: inout DayFacts) {
    guard let history else { return }
    let wanted = rules.neededKinds.intersection(facts.watched).subtracting(facts.met)
    if wanted.isEmpty { return }
    var unknown = history.unknowns[closed.day] ?? []
    unknown.formUnion(silence(of: closed, wanted, unknown))
    if rules.activity.counts == .starts {
      unknown.formUnion(metAtClose(closed).intersection(wanted))
    }
    facts.uncovered = wanted.intersection(unknown)
    if facts.uncovered.isEmpty { return }
    facts.gaps = (history.gaps[closed.day] ?? []).filter { facts.uncovered.contains($0.kind) }
  }

  /// The kinds that were met by the rules of the close. Where others count that otherwise, the ledger does not tell what the
  /// looks proved besides.
  private func metAtClose(_ closed: ClosedDay) -> KindSet {
    guard let counts = rules.book(asOf: closed.seq)?.rules(on: closed.day)?.activity.counts,
      counts == .overlaps
    else { return [] }
    let met = evidence.filter { item in
      item.seq < closed.seq
        && item.activity.effective(in: closed.window.window, counting: .overlaps) != nil
    }
    return KindSet(met.map(\.activity.kind))
  }

  /// The kinds of which the close told nothing at all: it was not asked for them.
  ///
  /// All kinds of the inbox are read at once: what it proved of one holds for each.
  private func silence(of closed: ClosedDay, _ wanted: KindSet, _ unknown: KindSet) -> KindSet {
    guard let history else { return [] }
    let asked = rules.book(asOf: closed.seq)?.rules(on: closed.day)?.neededKinds ?? []
    var silent = wanted.subtracting(asked)
    let inbox = KindSet(ActivityKind.allCases.filter { $0.source == .inbox })
    if !silent.isDisjoint(with: inbox), isProved(closed, asked.intersection(inbox), unknown) {
      silent.subtract(inbox)
    }
    // Older versions of this program wrote nothing of kinds without a mission, but for the mark of a held day.
    guard closed.watched == nil, let mark = history.marks[closed.day],
      let rules = rules.book(asOf: closed.seq)?.rules(on: closed.day)
    else { return silent }
    switch mark.what {
    case .held, .excused:
      return silent.union(rules.streak.countsAs.subtracting(rules.missions.kinds))
    case .broken, .repaired, nil: return silent
    }
  }

  /// Whether the close proved of one of `kinds` that it did not happen.
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
