import AuditPage
import CivilTime
import Configuration
import Digests
import Evidence
import Ledger
import RewardRules

/// Checks what a line states besides what other checks derive: levels, the streak before a day and what proves that it broke, what was held
/// back, and the rules in use.
///
/// Its remark lists the fields that nothing in a ledger can prove.
struct DerivedLineCheck: AuditCheck {
  static let id = 21
  static let name = "every line is derived"

  private(set) var list: FindingList
  private(set) var examined = 0
  /// The documents of the program and of the configured files, as ledgers hold them, by the SHA-256 of the file.
  private let documents: [Digest: String]
  /// Rules of which no file is left.
  private var unfiled = 0
  /// The last level of each user that a plan has recorded, until the plan states the user's level.
  private var planned: [String: (seq: UInt64, level: Int32)] = [:]
  private var plans = PlanLineCheck()
  /// Breaks of streaks before their close.
  private var breaks: [(record: Record, streak: StreakRecord)] = []

  init(list: FindingList, documents: [Digest: String]) {
    self.list = list
    self.documents = documents
  }

  /// Examines a record; `state` is the state before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    switch record.body {
    case .close(let close): return conclude(close, state)
    // A user who moved or left has days of their own.
    case .user(let user): return breaks.removeAll { $0.streak.user == user.user }
    case .operator: plans = PlanLineCheck()
    case .refused(let refused) where refused.what == .heldBack && refused.user == nil:
      return found("what is held back has no user", record)
    default: break
    }
    guard let user = record.body.user else { return }
    guard let index = state.index(of: user) else {
      return found("there is no such user in the ledger", record)
    }
    if let problem = plans.problem(in: record, of: state.accounts[index]) { found(problem, record) }
    switch record.body {
    case .level(let level): add(level, record, state.accounts[index], state)
    case .streak(let streak): add(streak, record, state.accounts[index])
    case .refused(let refused): add(refused, record, state.accounts[index], state.rules)
    case .evidence(let evidence): add(evidence, record)
    default: break
    }
    guard let settled = record.body.settled?.standing,
      let planned = planned.removeValue(forKey: user), planned.level > settled.level
    else { return }
    list.add(
      AuditReport.Finding(
        "level \(planned.level), but the plan leaves the user at level \(settled.level)",
        seq: planned.seq, user: user))
  }

  /// Examines a rules document; `drawKey` is the fingerprint of the configured draw secret.
  mutating func add(_ rules: RulesRecord, _ record: Record, drawKey: String?) {
    examined += 1
    switch documents[rules.sha256] {
    case rules.document?: break
    case nil: unfiled += 1
    case _?: found("the document is not what its file says", record)
    }
    let document = try? RulesDocument.parse(
      recorded: rules.document, completedBy: rules.defaults)
    if let document,
      (document.version, document.effectiveFrom, document.corrects)
        != (rules.version, rules.effectiveFrom, rules.corrects)
    {
      found("its version, its first day or what it corrects is not what the document says", record)
    }
    if let drawKey, drawKey != rules.drawKey {
      found("the fingerprint is not that of the draw secret", record)
    }
  }

  /// Adds what is wrong with a line about a zone's days.
  mutating func add(_ flaw: ZoneLineCheck.Flaw) { found(flaw.problem, flaw.line) }

  private mutating func add(
    _ level: LevelRecord, _ record: Record, _ account: Account, _ state: LedgerState
  ) {
    // A plan's correction is held against the days.
    if level.exp != nil { return }
    examined += 1
    if level.level <= account.recordedLevel {
      return found("level \(level.level) follows level \(account.recordedLevel)", record)
    }
    if level.effective < account.boundary {
      planned[account.id] = (record.seq, level.level)
      return
    }
    if let reached = state.balance(of: account.id)?.level, level.level > reached {
      found("level \(level.level), but the user has reached level \(reached)", record)
    }
  }

  private mutating func add(_ streak: StreakRecord, _ record: Record, _ account: Account) {
    examined += 1
    let isBroken = streak.what == .broken
    // Earlier versions told so of a streak without days before its close.
    let isNothing = isBroken && streak.before.length == 0 && streak.proof.isEmpty
    if isBroken == streak.proof.isEmpty, !isNothing {
      found(isBroken ? "nothing proves that the streak broke" : "only a break has a proof", record)
    }
    // A plan repairs, and check 6 derives what it leaves.
    if streak.day <= account.boundaryDay {
      if streak.what != .repaired { found("a plan only repairs streaks", record) }
      return
    }
    let before = StreakMark(account.state.streak)
    // Of the days behind the first open one, only the engine knows the streak before.
    if streak.day == account.boundaryDay.adding(days: 1), streak.before != before {
      found(
        "the streak before is \(streak.before.words), but the day before left \(before.words)",
        record)
    }
    switch streak.what {
    case .broken:
      if streak.after != StreakMark(length: 0, cycleDay: 0) {
        found("a broken streak has no length", record)
      }
      if !isNothing { breaks.append((record, streak)) }
    case .held, .excused:
      if streak.after != streak.before {
        found("the streak changes without a day that counts", record)
      }
    case .repaired: break
    }
  }

  /// Examines the proofs of the breaks on the day that a close ends.
  private mutating func conclude(_ close: CloseRecord, _ state: LedgerState) {
    guard let zone = state.users.zones.index(of: close.zone) else { return }
    let own = breaks.filter { broken in
      guard broken.streak.day == close.window.day,
        let index = state.index(of: broken.streak.user)
      else { return false }
      return state.accounts[index].zone == zone && state.users.isClosed(index, by: close)
    }
    if own.isEmpty { return }
    let closed = Set(own.map(\.record.seq))
    breaks.removeAll { closed.contains($0.record.seq) }
    for (record, streak) in own {
      let sources = streak.proof.map(\.source)
      if sources != Set(sources).sorted(by: { $0.rawValue < $1.rawValue }) {
        found("the proof of the break names a source twice, or out of order", record)
      }
      if let watched = close.sources, !Set(sources).isSubset(of: watched) {
        found("the proof of the break names a source that nobody watched", record)
      }
      if let rules = state.rules.current?.rules(on: streak.day), let watched = close.watched {
        let due = Set(rules.streak.countsAs.intersection(watched).kinds.map(\.source))
        if !due.isSubset(of: sources) {
          found("the proof of the break leaves a source out", record)
        }
      }
      if let early = streak.proof.first(where: {
        $0.toleratedSeconds == 0 && $0.through < close.window.end
      }) {
        found(
          "source \(early.source.name) proves nothing between \(early.through) and the end of the day",
          record)
      }
    }
  }

  private mutating func add(_ evidence: EvidenceRecord, _ record: Record) {
    let (activity, source) = (evidence.activity, evidence.source)
    if let kind = source.polledKind, kind != activity.kind {
      found("route \(source.name) shows no activity of this kind", record)
    }
    if activity.to < activity.from { found("the activity ends before it begins", record) }
  }

  private mutating func add(
    _ refused: RefusedRecord, _ record: Record, _ account: Account, _ rules: RuleHistory
  ) {
    examined += 1
    guard refused.what == .heldBack else {
      if !refused.amounts.isZero { found("nothing was held back, but it states amounts", record) }
      return
    }
    guard let day = refused.day, let text = refused.key,
      let key = RewardKey(text: text), GrantKey(text).isOf(account.id)
    else { return found("what is held back has no day, or no key of a rule for the user", record) }
    if key.day.map({ $0 != day }) ?? false { found("the key is that of another day", record) }
    // A login is stated again when its streak changes, whatever it would bring by then.
    if account.heldBack.contains(key) { return }
    if refused.amounts.isZero { found("nothing is held back", record) }
    let grants = account.grants.open.filter { $0.day == day && $0.key != nil }
    // What was adjusted or reversed may have counted for more when the grant was due.
    guard day > account.boundaryDay, let limits = rules.current?.rules(on: day)?.limits,
      grants.allSatisfy({ $0.adjustments == 0 && !$0.isReversed })
    else { return }
    let sums = grants.reduce(Amounts()) { $0 + $1.net.amounts }
    if limits.excess(of: refused.amounts, on: sums.points, sums.exp) == nil {
      found("it was held back, but passes no limit of the day", record)
    }
  }

  private mutating func found(_ text: String, _ record: Record) {
    var finding = AuditReport.Finding(text, seq: record.seq, user: record.body.user)
    switch record.body {
    case .refused(let refused): (finding.key, finding.day) = (refused.key, refused.day)
    case .streak(let streak): finding.day = streak.day
    case .close(let close): finding.day = close.window.day
    default: break
    }
    list.add(finding)
  }

  mutating func merge(_ other: DerivedLineCheck) {
    list.merge(other.list)
    examined += other.examined
    unfiled += other.unfiled
  }

  /// The fields that no check holds.
  var note: String? {
    [
      "held by published heads alone: activities, credits of sources, gaps, polls, refused answers, runs, "
        + "sources and their limits, time zone databases, who did what and when, how the ledger began, when users "
        + "reached a level, how base and multiplier make the exp, what adjustments and repairs replaced, free text",
      unfiled == 0
        ? nil : "rules whose file is neither configured nor built in: \(unfiled)",
    ].listed
  }
}

extension StreakMark {
  /// The streak in words.
  fileprivate var words: String { "\(length) (cycle day \(cycleDay))" }
}

extension Configuration {
  /// The rules of the configured files that can be read, and those of the program, as ledgers hold them, by the SHA-256 of the file.
  var knownRules: [Digest: String] {
    let configured = (try? RulesFiles.load(self).map(\.document)) ?? []
    let documents = RulesDocument.allBuiltIn + configured
    return Dictionary(documents.map { ($0.sha256, $0.canonicalText) }) { first, _ in first }
  }
}
