public import CivilTime
public import Evidence
public import RewardRules

/// The ledger's record of one user's past, beside the account as it stands.
///
/// It begins with the user or, after ``forget(through:)``, after a closed day. Evidence and credits include those of
/// open days; grants and marks are only those of closed days.
public struct AccountHistory: Sendable {
  /// The first instant of the first judged day, or of the first day not forgotten.
  public private(set) var start: Instant
  /// The state at ``start``.
  public private(set) var opening: AccountState
  /// The last day forgotten; nil if the history begins with the user.
  public private(set) var forgotten: Day?
  /// Whether a line concerned something forgotten. Then only a history from the beginning can tell what is due.
  public internal(set) var isIncomplete = false
  /// The closed days, in order.
  public internal(set) var days: [ClosedDay] = []
  /// All evidence, in ledger order.
  public internal(set) var evidence: [RecordedEvidence] = []
  /// All credits that may change days, in ledger order.
  public internal(set) var credits: [RecordedCredit] = []
  /// The grants standing for closed days, and the level rewards that a plan has moved into them.
  public internal(set) var grants: [StandingGrant] = []
  /// The effect on the streak of closed days that do not count, by day.
  public internal(set) var marks: [Day: DayMark] = [:]
  /// The gaps recorded by closes and on open days, by day.
  public internal(set) var gaps: [Day: [Gap]] = [:]
  /// The kinds recorded as unknown, by day.
  public internal(set) var unknowns: [Day: KindSet] = [:]

  /// Creates the history of a user whose first judged day begins at `start`.
  init(start: Instant, opening: AccountState) {
    self.start = start
    self.opening = opening
  }

  /// Creates the history of a user after the last closed day, with nothing known but the account.
  init(behind account: Account) {
    self.init(start: account.boundary, opening: account.state)
    forget(through: account)
  }

  /// Returns the evidence in a line; nil if it is none of the user's, or forgotten.
  public func evidence(in seq: UInt64) -> RecordedEvidence? {
    var (low, high) = (0, evidence.count)
    while low < high {
      let middle = (low + high) / 2
      if evidence[middle].seq < seq { low = middle + 1 } else { high = middle }
    }
    return low < evidence.count && evidence[low].seq == seq ? evidence[low] : nil
  }

  /// Forgets everything up to the end of the last closed day of `account`, where the history then begins.
  ///
  /// The caller must have found the closed days correct, since only the account's state is left of them.
  mutating func forget(through account: Account) {
    // A manual grant for a day counts within that day.
    isIncomplete =
      isIncomplete || account.isComingBack
      || grants.contains { $0.isManual && $0.effective >= account.boundary }
    start = account.boundary
    opening = account.state
    forgotten = account.boundaryDay
    // The next days will need as much room.
    days.removeAll(keepingCapacity: true)
    evidence.removeAll(keepingCapacity: true)
    for item in account.evidence where item.activity.isRemembered(from: start) {
      evidence.append(item)
    }
    credits = account.credits
    grants.removeAll(keepingCapacity: true)
    if !marks.isEmpty { marks = [:] }
    if !gaps.isEmpty { gaps = gaps.filter { $0.key > account.boundaryDay } }
    if !unknowns.isEmpty { unknowns = unknowns.filter { $0.key > account.boundaryDay } }
  }
}

/// A closed day of one user, as the ledger records it.
public struct ClosedDay: Sendable, Equatable {
  /// The closed window.
  public let window: UserWindow
  /// The line that closed it.
  public let seq: UInt64
  /// The last line whose facts have been counted, by the close or by a later plan.
  public internal(set) var known: UInt64
  /// The kinds with a configured source; nil if the ledger does not say.
  public let watched: KindSet?

  /// The date.
  public var day: Day { window.day }
}

extension AccountHistory {
  /// Returns the index of the grant of a closed day with the key `text`; nil if there is none.
  func grant(_ text: String) -> Int? { grants.firstIndex { $0.text == text } }

  /// Records that a plan has counted all facts up to the line `through` for the days in `range`.
  mutating func bringIn(_ range: ClosedRange<Day>, through seq: UInt64) {
    for index in days.indices where range.contains(days[index].day) {
      days[index].known = max(days[index].known, seq)
    }
  }

  /// Records whether the line `body`, not yet applied to `account`, concerns anything forgotten.
  ///
  /// Assumes so when in doubt: anything not clearly about known days counts as concerning forgotten ones.
  mutating func noteConcern(of body: RecordBody, _ account: Account) {
    guard let forgotten, !isIncomplete else { return }
    switch body {
    case .evidence(let record): isIncomplete = isNews(record.activity, account)
    case .credit(let record):
      isIncomplete = record.credit.changesDays && record.credit.effective < start
    case .grant(let record):
      isIncomplete = record.day <= forgotten || !isKnown(record, account)
    case .streak(let record): isIncomplete = record.day <= forgotten
    case .unknown(let record): isIncomplete = record.day <= forgotten
    case .refused(let record):
      guard record.what == .heldBack else { break }
      isIncomplete = !concernsKnownDay(record.key)
    case .reversal(let record):
      isIncomplete =
        account.grants.open.allSatisfy { $0.text != record.key }
        && grant(record.key) == nil
    case .operator(let record): isIncomplete = !concernsKnownDay(record.subject)
    case .level, .message, .genesis, .user, .rules, .close, .excuse, .run, .seal: break
    }
    if let days = body.settled?.days, days.lowerBound <= forgotten { isIncomplete = true }
  }

  /// Records a return, since what happened during the absence counts to the day of leaving.
  mutating func noteReturn() { isIncomplete = isIncomplete || forgotten != nil }

  /// Returns whether an activity reveals more about forgotten days than was known.
  private func isNews(_ activity: Activity, _ account: Account) -> Bool {
    guard activity.from < start else { return false }
    return !account.evidence.contains { item in
      item.activity.kind == activity.kind && item.activity.from == activity.from
        && item.activity.to >= min(activity.to, start)
    }
  }

  /// Returns whether a grant is for a known day with a key of that day, or an adjustment is for a known grant.
  private func isKnown(_ record: GrantRecord, _ account: Account) -> Bool {
    if record.isAdjustment {
      let text = record.baseKey
      return account.grants.openIndex(text, of: record) != nil || grant(text) != nil
    }
    // One that already stands for a closed day would be granted twice. Those of open days are checked when applied.
    if record.day <= account.boundaryDay || record.isFor(.level), grant(record.key) != nil {
      return false
    }
    guard let key = RewardKey(text: record.key) else { return HandKey(text: record.key) != nil }
    guard case .level(let level) = key else { return key.day == record.day }
    return !account.grants.closedLevels.contains { $0.level == Int32(level) }
  }

  /// Returns whether a key belongs to a known day.
  private func concernsKnownDay(_ key: String?) -> Bool {
    guard let forgotten, let key, let day = RewardKey(text: key)?.day else { return false }
    return day > forgotten
  }
}
