import AuditPage
import CivilTime
import Digests
import Engine
import Ledger
import LedgerStore
import RewardRules
import Scheduling

/// The part of a ledger that is not about single users' days: rules, outages, closes and runs.
///
/// It is read before those days. Judging a day uses all of it: what was known at its close, and what came later.
struct AuditCommons: Sendable {
  /// The state after these lines; its accounts hold windows and credits.
  let state: LedgerState
  /// The findings about the runs of jobs.
  let runs: [JobAudit.Finding]
  /// The last seal; nil when nothing could be read.
  let seal: Record?
  /// Whether the newest snapshot agrees with the lines up to its seal; nil when there is none to compare.
  let isSnapshotRight: Bool?
  /// The reward of each manual gift according to the line that names its actor, by key; nil where that line holds none.
  let signedGifts: [String: String?]
  /// The acts that records name.
  let actTerms: ActCheck.Terms
  /// The acts held against the limits of one person.
  let agreed: AgreedActs
  /// The records of a hand about no single user, each with whether it is among the first rules.
  private let ofNoUser: [(record: Record, isNew: Bool)]
  /// What lines state wrongly by the rules of a zone.
  let zoneFlaws: [ZoneLineCheck.Flaw]
  /// When newer time zone databases came into use, each between the close before and the first one by them.
  let zoneChanges: [ClosedRange<Instant>]
  /// The counts for a page.
  let count: CommonCount
  private let excusesForAll: [LedgerState.Excuse]
  private let excuses: [String: [LedgerState.Excuse]]

  private static let types: Set<RecordType> = [
    .genesis, .user, .credit, .rules, .excuse, .close, .operator, .run, .seal,
  ]

  /// Reads `reader` from the beginning, or from `start`, up to which everything is proved. Blocks.
  init(
    _ reader: LedgerReader, jobs: [Job], zones: any ZoneSource, now: Instant,
    snapshot: NewestSnapshot?, after start: LedgerState? = nil
  ) throws {
    var audit =
      start.map { JobAudit(jobs: jobs, zones: zones, now: now, after: $0) }
      ?? JobAudit(jobs: jobs, zones: zones, now: now)
    var comparison = try snapshot.flatMap { try SnapshotCheck.Commons($0, in: reader) }
    var isRight: Bool?
    var count = CommonCount()
    var signed: [String: String?] = [:]
    var terms = ActCheck.Terms(after: start)
    var agreed = AgreedActs(after: start)
    if start != nil, let genesis = try reader.firstRecord() { terms.add(genesis) }
    var ofNoUser: [(record: Record, isNew: Bool)] = []
    var zoneChanges: [ClosedRange<Instant>] = []
    var lastClose: (at: Instant, tzdata: String)?
    var zoneLines = ZoneLineCheck(zones: zones)
    try reader.scan(.ofTypes(Self.types), after: start?.seq ?? 0) { record in
      if let compared = comparison, record.seq > compared.snapshot.head.seq {
        isRight = compared.agree(with: audit.state)
        comparison = nil
      }
      switch record.body {
      case .excuse: ofNoUser.append((record, false))
      case .rules:
        // The first documents of a ledger follow each other.
        let isNext = ofNoUser.last.map { $0.isNew && $0.record.seq + 1 == record.seq } ?? false
        ofNoUser.append((record, isNext || audit.state.ruleTexts.isEmpty))
      case .run(let run) where run.job == TimeZoneUse.job:
        zoneChanges.append(
          (lastClose?.at ?? run.actual)...max(lastClose?.at ?? run.actual, record.at))
      case .close(let close):
        if let last = lastClose, last.tzdata != close.tzdata {
          zoneChanges.append(last.at...max(last.at, record.at))
        }
        lastClose = (record.at, close.tzdata)
      default: terms.add(record)
      }
      zoneLines.add(record, before: audit.state)
      agreed.add(record, before: audit.state)
      audit.add(record)
      agreed.addSums(of: record, after: audit.state)
      count.add(record)
      if case .operator(let act) = record.body, act.act == .grant {
        signed.updateValue(act.what, forKey: act.subject)
      }
    }
    agreed.conclude(audit.state)
    if let from = terms.namedFrom { try agreed.concludeReleases(after: from, in: reader) }
    self.count = count
    signedGifts = signed
    actTerms = terms
    self.agreed = agreed
    self.ofNoUser = ofNoUser
    self.zoneChanges = zoneChanges
    zoneFlaws = zoneLines.flaws
    if let comparison { isRight = comparison.agree(with: audit.state) }
    var last: Record?
    try reader.scan(after: reader.head.seq - 1, threads: 1) { last = $0 }
    seal = last
    runs = audit.findings(from: .earliest, to: last?.at ?? .earliest)
    state = audit.state
    isSnapshotRight = isRight
    excusesForAll = state.excuses.filter { $0.record.users == nil }
    excuses = Self.byUser(state.excuses)
  }

  private static func byUser(
    _ excuses: [LedgerState.Excuse]
  ) -> [String: [LedgerState.Excuse]] {
    var byUser: [String: [LedgerState.Excuse]] = [:]
    for excuse in excuses {
      for user in excuse.record.users ?? [] { byUser[user, default: []].append(excuse) }
    }
    return byUser
  }

  /// The rules that came into use.
  var rules: [(rules: RulesRecord, record: Record)] {
    ofNoUser.compactMap { record, _ in
      if case .rules(let rules) = record.body { (rules, record) } else { nil }
    }
  }

  /// Returns the check of the records about no single user.
  func acts(_ list: FindingList) -> ActCheck {
    var check = ActCheck(list: list, actTerms)
    for (record, isNew) in ofNoUser { check.add(record, isNew: isNew) }
    return check
  }

  /// What people gave to nobody in particular: pardons, and rules that they put into use.
  var given: HandCount {
    var count = HandCount(acts: actTerms.acts, agreed: agreed.lines)
    for (record, _) in ofNoUser { count.add(record, before: state) }
    return count
  }

  /// The days from the first user's first day to the last closed one; nil before the first close.
  var closedDays: ClosedRange<Day>? {
    guard let first = state.accounts.lazy.map(\.firstDay).min(),
      let last = state.closes.values.lazy.map(\.last.day).max(), first <= last
    else { return nil }
    return first...last
  }

  /// Returns what an audit of `days`, or of all days, covers up to `head`.
  func coverage(of days: ClosedRange<Day>?, head: String) -> AuditReport.Coverage {
    let closed = closedDays
    let last = closed.map { min($0.upperBound, days?.upperBound ?? $0.upperBound) }
    let open = last.map { last in
      state.accounts.count {
        $0.isPresent && $0.firstDay <= last && ($0.closedThrough ?? last.adding(days: -1)) < last
      }
    }
    return AuditReport.Coverage(asked: days, closed: closed, open: open ?? 0, head: head)
  }

  /// Returns the timeline of a user, with all outages and rules in the ledger.
  func timeline(
    _ account: Account, _ history: AccountHistory?, open days: [UserWindow] = [],
    terms: EngineTerms
  ) -> Timeline {
    var known = excusesForAll
    if !excuses.isEmpty, let own = excuses[account.id] {
      known = (known + own).sorted { $0.seq < $1.seq }
    }
    return Timeline(
      account: account, history: history, openWindows: days, excuses: known, rules: state.rules,
      terms: terms)
  }

  /// Whether a line after `start` changes what is due for closed days of the account: an outage, or rules for days that were
  /// closed by then.
  func concernsPast(of account: Account, after start: LedgerState) -> Bool {
    let closed = account.firstDay..<max(account.firstDay, account.boundaryDay.adding(days: 1))
    func covers(_ excuse: LedgerState.Excuse) -> Bool {
      excuse.seq > start.seq && excuse.record.from < closed.upperBound
        && excuse.record.to >= closed.lowerBound
    }
    if closed.isEmpty { return false }
    if state.rules.lastChange > start.seq, newRulesFrom(start) < closed.upperBound { return true }
    return excusesForAll.contains(where: covers)
      || excuses[account.id]?.contains(where: covers) ?? false
  }

  /// Returns the first day judged by a document that came into use after `start`.
  private func newRulesFrom(_ start: LedgerState) -> Day {
    state.rules.documents.dropFirst(start.rules.documents.count).map(\.effectiveFrom).min()
      ?? Day(number: .max)
  }
}
