import AuditPage
import CivilTime
import Engine
import Foundations
import Ledger
import LedgerStore
import NotificationRelay

/// Audits some users as their lines stream by: proves each user's closed days, then forgets them.
///
/// It keeps the state of each user and the last closed days, and nothing for each line. When it cannot prove that everything
/// about a user is right, because something is wrong or concerns forgotten days, it adds the user to ``whole``, and that
/// user's lines are read from the beginning. All findings come from that second reading.
struct AuditStream {
  /// The inputs that do not change during a stream.
  struct Terms: Sendable {
    let commons: AuditCommons
    /// How days are evaluated; nil when the ledger holds no rules, so that nothing is.
    let engine: EngineTerms?
    let now: Instant
    let snapshot: NewestSnapshot?
    let zones: any ZoneSource
    /// The number of closed days that are kept before they are proved together.
    let daysHeld: Int
  }

  private let terms: Terms
  private(set) var state: LedgerState
  private var checks: RecordChecks
  /// The users who must be read from the beginning, each with the last day that the close totals have counted, if there is one.
  private(set) var whole: [String: Day?] = [:]
  /// The amount proved about all other users.
  private(set) var proved = ProvedCounts()
  /// The first user for whom the newest snapshot disagrees; nil when there is none.
  private(set) var snapshotStranger: String?
  /// What evaluating open days again would change.
  private(set) var corrections: [GrantRecord] = []
  private var evaluations = OpenDayEvaluations()
  private var isSnapshotCompared: Bool
  private var users: [User] = []

  private struct User {
    var counts = ProvedCounts()
    var isWhole = false
    /// The last day whose judgement the close totals have counted; nil before the first.
    var counted: Day?
  }

  /// Creates a stream for the records after `state`, which keeps recent pasts.
  init(_ terms: Terms, _ checks: RecordChecks, after state: LedgerState) {
    self.terms = terms
    self.checks = checks
    self.state = state
    isSnapshotCompared = terms.snapshot.map { $0.head.seq < state.seq } ?? true
    users = Array(repeating: User(), count: state.accounts.count)
  }

  /// Processes the next record about one of the users or about none.
  mutating func add(_ record: Record) {
    if !isSnapshotCompared, let snapshot = terms.snapshot, record.seq > snapshot.head.seq {
      compare(snapshot)
    }
    checks.add(record, before: state)
    evaluations.add(record, before: state)
    if LinkCheck.isLink(record.body) { noteLink(record) }
    state.apply(record)
    switch record.body {
    case .close, .user:
      while users.count < state.accounts.count { users.append(User()) }
      for index in state.dequeueSettled() { prove(index, holding: terms.daysHeld) }
    default: break
    }
  }

  /// Proves the remaining days at the end.
  mutating func finish() {
    if !isSnapshotCompared, let snapshot = terms.snapshot { compare(snapshot) }
    for index in users.indices {
      prove(index, holding: 0)
      if !users[index].isWhole { proved += users[index].counts }
    }
    evaluateOpenDays()
  }

  private mutating func evaluateOpenDays() {
    guard let engine = terms.engine else { return }
    var windows = Windows(zones: terms.zones)
    for index in users.indices {
      guard let last = evaluations.last(of: index, in: state, tzdata: terms.zones.version),
        let end = state.accounts[index].grants.open.map(\.effective).max()
      else { continue }
      let account = state.account(at: index)
      guard
        let days = try? windows.open(
          of: account, zone: state.zone(of: account), through: end, in: state)
      else { continue }
      var timeline = terms.commons.timeline(account, nil, open: days, terms: engine)
      timeline.openThrough = last
      corrections += OpenDays.corrections(timeline)
    }
  }

  /// The checks that need no past, over all records.
  var finishedChecks: RecordChecks {
    var checks = checks
    checks.finish(state, zones: terms.zones)
    return checks
  }

  /// Marks the users for whom `isWanted` returns true to be read from the beginning.
  mutating func readWhole(where isWanted: (Account) -> Bool) {
    for index in users.indices where !users[index].isWhole && isWanted(state.accounts[index]) {
      giveUp(index)
    }
  }

  private mutating func noteLink(_ record: Record) {
    guard let user = record.body.user, let index = state.index(of: user) else { return }
    users[index].counts.links += 1
    // A page counts a reversal by what it reverses, which only the whole past shows.
    if case .reversal = record.body { return giveUp(index) }
    if !users[index].isWhole, LinkCheck.finding(record, before: state) != nil { giveUp(index) }
  }

  private mutating func giveUp(_ index: Int) {
    if users[index].isWhole { return }
    users[index].isWhole = true
    whole.updateValue(users[index].counted, forKey: state.accounts[index].id)
    state.dropPast(at: index)
  }

  /// Proves the closed days of a user once there are `days` of them.
  private mutating func prove(_ index: Int, holding days: Int) {
    guard !users[index].isWhole, let engine = terms.engine,
      state.heldDays(at: index) >= days
    else { return }
    let timeline = terms.commons.timeline(
      state.account(at: index), state.history(at: index), terms: engine)
    let review = PastReview(
      timeline, now: terms.now, zoneChanges: terms.commons.zoneChanges)
    guard let days = review.proved, let history = timeline.history else { return giveUp(index) }
    users[index].counts += ProvedCounts(timeline)
    users[index].counted = timeline.account.boundaryDay
    checks.add(days, of: history)
    // No one else holds the past by now, so it is emptied in place.
    state.forgetPast(at: index)
  }

  private mutating func compare(_ snapshot: NewestSnapshot) {
    isSnapshotCompared = true
    var stranger: String?
    // A snapshot of an older format is not compared; the next start discards it.
    _ = try? StateSnapshot.readAccounts(snapshot.payload) { account, zones in
      if stranger == nil, state.holds(account, zones: zones) == false { stranger = account.id }
    }
    snapshotStranger = stranger
  }
}

/// The checks that examine one record at a time and need no past.
struct RecordChecks: Sendable {
  private(set) var closes: CloseSumCheck
  private(set) var outliers: OutlierCheck
  private(set) var deliveries: DeliveryCheck
  private(set) var balances: BalanceCheck
  private(set) var hands: ManualActCheck
  private(set) var words: GrantWordsCheck
  private(set) var acts: ActCheck
  private(set) var derived: DerivedLineCheck
  /// The figures for a page; nil when none is requested.
  private(set) var figures: FiguresCount?
  private let countsDeliveries: Bool

  init(
    list: FindingList, sinks: [SinkProgress], outside: [OutsideBalance],
    hands: ManualActCheck.Terms?, acts: ActCheck, derived: DerivedLineCheck, now: Instant,
    countsFigures: Bool
  ) {
    closes = CloseSumCheck(list: list)
    outliers = OutlierCheck(list: list, hands)
    deliveries = DeliveryCheck(list: list, sinks: sinks, now: now)
    balances = BalanceCheck(list: list, outside: outside)
    self.hands = ManualActCheck(list: list, hands)
    words = GrantWordsCheck(list: list)
    self.acts = acts
    self.derived = derived
    if countsFigures { figures = FiguresCount() }
    countsDeliveries = !sinks.isEmpty
  }

  /// Examines a record; `state` is the state before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    switch record.body {
    case .close:
      closes.add(record, before: state)
      outliers.add(record, before: state)
    case .user:
      closes.add(record, before: state)
      hands.add(record, before: state)
    case .grant:
      if countsDeliveries { deliveries.add(record) }
      hands.add(record, before: state)
      words.add(record, before: state)
    case .reversal:
      hands.add(record, before: state)
      words.add(record, before: state)
    case .credit, .evidence: hands.add(record, before: state)
    default: break
    }
    // Lines about no user reach every share, and are examined with what all have in common.
    if let user = record.body.user {
      acts.add(record, isNew: state.index(of: user) == nil)
    }
    derived.add(record, before: state)
    figures?.add(record)
  }

  /// Examines how days of a user were judged.
  mutating func add(_ days: [EvaluatedDay], of history: AccountHistory) {
    closes.add(days, of: history)
  }

  /// Examines older grants, which may still wait for delivery.
  mutating func addEarlier(_ reader: LedgerReader, before start: UInt64, _ sinks: [SinkProgress])
    throws
  {
    guard let first = sinks.map(\.firstUnsettled).min(), first < start else { return }
    try reader.scanUntilStopped(.ofTypes([.grant]), after: first) { record in
      if record.seq > start { return .stop }
      deliveries.add(record)
      return .next
    }
  }

  /// Examines the sinks' own folders.
  mutating func addFolders(of sinks: [SinkProgress], in directory: DataDirectory) throws {
    for sink in sinks {
      for flaw in try SinkFolder(sink.name, in: directory).flaws() {
        deliveries.note(flaw, of: sink.name)
      }
    }
  }

  /// Examines the final state.
  mutating func finish(_ state: LedgerState, zones: any ZoneSource) {
    balances.note(state)
    closes.finish(state, zones: zones)
    figures?.finish(state)
  }

  /// Adds the results of reading users from the beginning.
  mutating func add(_ whole: WholePasts) {
    balances.note(whole.shortfalls)
    closes.add(whole.closes)
    if let theirs = whole.figures { figures?.merge(theirs) }
  }

  /// Examines the rules that came into use, and what lines state by the rules of a zone.
  mutating func add(_ commons: AuditCommons) {
    for (rules, record) in commons.rules {
      derived.add(rules, record, drawKey: commons.state.drawKey)
    }
    for flaw in commons.zoneFlaws { derived.add(flaw) }
  }

  /// Adds the results of the same checks on other users.
  mutating func merge(_ other: RecordChecks) {
    closes.merge(other.closes)
    outliers.merge(other.outliers)
    deliveries.merge(other.deliveries)
    balances.merge(other.balances)
    hands.merge(other.hands)
    words.merge(other.words)
    acts.merge(other.acts)
    derived.merge(other.derived)
    if let theirs = other.figures { figures?.merge(theirs) }
  }

  /// The results of the checks.
  var results: [AuditReport.Check] {
    [
      closes.concluded(), deliveries.concluded(), balances.concluded(), outliers.concluded(),
      hands.concluded(), derived.concluded(),
    ]
  }
}
