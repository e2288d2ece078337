import CivilTime
import Evidence
import Ledger
import RewardRules

/// What is known of the closed days of one user, asked day by day in order.
///
/// Evidence is swept along with the days, so that a long past costs as much as its days.
struct PastFacts {
  private let past: UserPast
  private let context: JudgeContext
  private let range: ClosedRange<Day>
  private let marks: [Day: DayMark]
  private let unknowns: [Day: KindSet]
  /// All evidence by the instants at which it begins.
  private let evidence: [RecordedEvidence]
  private var nextEvidence = 0
  /// The evidence that may touch the day at hand or a later one, in the order of the ledger.
  private var candidates: [RecordedEvidence] = []
  private let credits: [Credit]
  /// Keys under which something was granted, held back or released: their evidence was used.
  private lazy var used = Set(past.reopened.grants.compactMap(\.key))
    .union(past.reopened.heldBack).union(past.reopened.released)
  /// The evidence of `login` grants, of kinds without a mission too.
  private lazy var loginEvidence = Set(
    past.reopened.grants.filter { $0.streak != nil }.map(\.evidence))

  /// Within `range` everything recorded counts, elsewhere what came in time or was brought in by a backfill.
  init(past: UserPast, context: JudgeContext, range: ClosedRange<Day>) {
    self.past = past
    self.context = context
    self.range = range
    marks = Dictionary(past.reopened.marks.map { ($0.day, $0) }) { first, _ in first }
    unknowns = Dictionary(past.reopened.unknowns.map { ($0.day, $0.kinds) }) { first, _ in first }
    evidence = past.reopened.evidence.sorted { $0.activity.from < $1.activity.from }
    credits = past.reopened.allCredits.sorted { $0.effective < $1.effective }
  }

  /// What is known of `closed`; days must be asked in order.
  mutating func facts(of closed: PastDay, _ rules: RulesDocument) -> DayFacts {
    var facts = DayFacts(window: closed.window)
    facts.isClosing = true
    facts.watched = context.watched
    addEvidence(for: closed, rules, to: &facts)
    facts.uncovered.formUnion(
      unknown(on: closed, rules).intersection(rules.neededKinds).subtracting(facts.met))
    facts.isExcused = isExcused(closed)
    if !credits.isEmpty {
      facts.credits = credits.filter { closed.window.window.contains($0.effective) }
    }
    return facts
  }

  private mutating func addEvidence(
    for closed: PastDay, _ rules: RulesDocument, to facts: inout DayFacts
  ) {
    sweep(to: closed.window.window)
    let needed = rules.neededKinds
    let takesAll = range.contains(closed.day)
    for item in candidates where needed.contains(item.activity.kind) {
      guard
        let effective = item.activity.effective(
          in: closed.window.window, counting: rules.activity.counts)
      else { continue }
      if !takesAll, item.seq >= closed.seq, !isUsed(item, on: closed.day) { continue }
      if let touch = facts[item.activity.kind], touch.effective <= effective { continue }
      facts[item.activity.kind] = Touch(effective: effective, evidence: item.seq)
    }
  }

  private mutating func sweep(to window: DayWindow) {
    candidates.removeAll { $0.activity.to < window.start }
    let known = candidates.count
    while nextEvidence < evidence.count, evidence[nextEvidence].activity.from < window.end {
      let item = evidence[nextEvidence]
      nextEvidence += 1
      if item.activity.to >= window.start { candidates.append(item) }
    }
    if candidates.count > known, candidates.count > 1 { candidates.sort { $0.seq < $1.seq } }
  }

  /// Whether a backfill has brought in what came late: its own mission tells, or the `login` of the day.
  private mutating func isUsed(_ item: RecordedEvidence, on day: Day) -> Bool {
    let isLoginHeld =
      past.reopened.heldBack.contains(.login(day)) || past.reopened.released.contains(.login(day))
    return used.contains(.mission(day, item.activity.kind)) || loginEvidence.contains(item.seq)
      || isLoginHeld || (item.activity.kind == .login && used.contains(.login(day)))
  }

  /// What the close could not tell: as recorded, and for the kinds that no record names, whenever somebody was held.
  private func unknown(on closed: PastDay, _ rules: RulesDocument) -> KindSet {
    var unknown = unknowns[closed.day] ?? []
    let mark = marks[closed.day]
    let silent = rules.streak.countsAs.subtracting(rules.missions.kinds)
    switch mark?.what {
    case .broken: break
    case .held, .excused: unknown.formUnion(silent)
    // An earlier backfill has said what the day is: a break leaves nothing.
    case .repaired: if let mark, mark.after.length > 0 { unknown.formUnion(silent) }
    case nil: if closed.someWereHeld { unknown.formUnion(silent) }
    }
    return unknown
  }

  private func isExcused(_ closed: PastDay) -> Bool {
    past.excuses.contains { seq, excuse in
      excuse.from <= closed.day && closed.day <= excuse.to
        && (range.contains(closed.day) || seq < closed.seq || marks[closed.day]?.what == .repaired)
    }
  }
}
