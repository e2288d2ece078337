public import CivilTime
public import Evidence
public import RewardRules

/// What the ledger says of one user's past, beside the account as it stands.
///
/// Begins where the user does, or, once ``forget(through:)`` was asked for, behind a closed day. Evidence and credits are those
/// of open days too; grants and marks only those of closed days.
public struct AccountHistory: Sendable {
  /// The first instant of the first judged day, or of the first one that is not forgotten.
  public private(set) var start: Instant
  /// The state at ``start``.
  public private(set) var opening: AccountState
  /// The last day that was forgotten; nil when the history begins with the user.
  public private(set) var forgotten: Day?
  /// Whether a line concerned something that was forgotten: then only a history from the beginning tells what is due.
  public internal(set) var isIncomplete = false
  /// The closed days, in order.
  public internal(set) var days: [ClosedDay] = []
  /// All evidence, in the order of the ledger.
  public internal(set) var evidence: [RecordedEvidence] = []
  /// All credits, in the order of the ledger.
  public internal(set) var credits: [RecordedCredit] = []
  /// What stands for closed days, and for level rewards that a plan has moved into them.
  public internal(set) var grants: [StandingGrant] = []
  /// What became of the streak on closed days that do not count, by day.
  public internal(set) var marks: [Day: DayMark] = [:]
  /// What closes and open days could not tell, by day.
  public internal(set) var gaps: [Day: [Gap]] = [:]
  /// The kinds that are recorded as unknown, by day.
  public internal(set) var unknowns: [Day: KindSet] = [:]

  /// Creates the history of a user whose first judged day begins at `start`.
  init(start: Instant, opening: AccountState) {
    self.start = start
    self.opening = opening
  }

  /// Creates the history of a user behind the last closed day, of which nothing but the account is known.
  init(behind account: Account) {
    self.init(start: account.boundary, opening: account.state)
    forget(through: account)
  }

  /// Forgets everything up to the end of the last closed day of `account`, where the history then begins.
  ///
  /// Whoever asks for it must have found that the closed days are as they should be: the account's state is all that is left
  /// of them.
  mutating func forget(through account: Account) {
    // What a person gave for a day counts within that day.
    isIncomplete =
      isIncomplete || account.isComingBack
      || grants.contains { $0.isManual && $0.effective >= account.boundary }
    start = account.boundary
    opening = account.state
    forgotten = account.boundaryDay
    // The next days take as much room as these.
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

/// A day of one user that was closed, as the ledger has it.
public struct ClosedDay: Sendable, Equatable {
  /// The window that was closed.
  public let window: UserWindow
  /// The line that closed it.
  public let seq: UInt64
  /// Facts up to and including this line have been taken into account: those before the close, and those that a plan brought in.
  public internal(set) var known: UInt64
  /// The kinds whose source was configured; nil where the ledger does not tell.
  public let watched: KindSet?

  /// The date.
  public var day: Day { window.day }
}

extension AccountHistory {
  /// Returns the index of the grant of a closed day under `text`, or nil.
  func grant(_ text: String) -> Int? { grants.firstIndex { $0.text == text } }

  /// Notes that a plan has brought in, for the days in `range`, all facts up to the line `through`.
  mutating func bringIn(_ range: ClosedRange<Day>, through seq: UInt64) {
    for index in days.indices where range.contains(days[index].day) {
      days[index].known = max(days[index].known, seq)
    }
  }

  /// Notes whether the line `body` about the user of `account`, which is not taken in yet, concerns what was forgotten.
  ///
  /// Errs on the safe side: what is not plainly about days that are known counts as concerning others.
  mutating func noteConcern(of body: RecordBody, _ account: Account) {
    guard let forgotten, !isIncomplete else { return }
    switch body {
    case .evidence(let record): isIncomplete = isNews(record.activity, account)
    case .credit(let record): isIncomplete = record.effective < start
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

  /// Notes that the user comes back: what happened meanwhile counts to the day of leaving.
  mutating func noteReturn() { isIncomplete = isIncomplete || forgotten != nil }

  /// Returns whether an activity tells more of forgotten days than what was known of them.
  private func isNews(_ activity: Activity, _ account: Account) -> Bool {
    guard activity.from < start else { return false }
    return !account.evidence.contains { item in
      item.activity.kind == activity.kind && item.activity.from == activity.from
        && item.activity.to >= min(activity.to, start)
    }
  }

  /// Returns whether a grant, for a day that is known, stands under a key of that day; an adjustment, under one that is known.
  private func isKnown(_ record: GrantRecord, _ account: Account) -> Bool {
    if record.isAdjustment {
      let text = record.baseKey
      return account.grants.openIndex(text, of: record) != nil || grant(text) != nil
    }
    // One that stands for a closed day already would be granted twice; an open day's are looked at when it is taken in.
    if record.day <= account.boundaryDay || record.mission == "level", grant(record.key) != nil {
      return false
    }
    guard let key = RewardKey(text: record.key) else { return HandKey(text: record.key) != nil }
    guard case .level(let level) = key else { return key.day == record.day }
    return !account.grants.closedLevels.contains { $0.level == Int32(level) }
  }

  /// Returns whether a key is one of a day that is known.
  private func concernsKnownDay(_ key: String?) -> Bool {
    guard let forgotten, let key, let day = RewardKey(text: key)?.day else { return false }
    return day > forgotten
  }
}
