public import CivilTime
public import Evidence
public import Ledger
import RewardRules

/// All that can decide what one user has earned: the engine's only input.
///
/// A timeline begins at a base. With a history that is the user's beginning; without one, the end of the last closed day,
/// whose state the account holds. So a million users stay small, and the past is the same value, read from the user's lines.
public struct Timeline: Sendable {
  /// What no look and no line changes. All copies of a timeline share it: accounts and pasts have so many parts that to copy
  /// them costs more than to judge a day.
  @usableFromInline
  final class Ground: Sendable {
    @usableFromInline let account: Account
    @usableFromInline let history: AccountHistory?
    @usableFromInline let inboxThrough: Instant
    @usableFromInline let excuses: [LedgerState.Excuse]
    @usableFromInline let rules: RuleHistory
    @usableFromInline let terms: EngineTerms
    @usableFromInline let grants: [StandingGrant]

    init(
      _ account: Account, _ history: AccountHistory?, inboxThrough: Instant,
      _ excuses: [LedgerState.Excuse], _ rules: RuleHistory, _ terms: EngineTerms
    ) {
      self.account = account
      self.history = history
      self.inboxThrough = inboxThrough
      self.excuses = excuses
      self.rules = rules
      self.terms = terms
      let closed = history?.grants ?? []
      grants =
        closed.isEmpty
        ? account.grants.open
        : account.grants.open.isEmpty ? closed : closed + account.grants.open
    }
  }

  @usableFromInline let ground: Ground
  /// The windows that are not closed, in order, up to the present.
  public internal(set) var openWindows: [UserWindow]
  /// What the looks at the routes proved about open days.
  public var looks: LookHistories
  /// Evidence of the user from the base on, and what was added since, in the order of the ledger.
  public private(set) var evidence: [RecordedEvidence]
  /// Credits of the user from the base on, and what was added since.
  public private(set) var credits: [RecordedCredit]
  /// Rules that judge some days in place of those in force, to see what they would do.
  var tried: (document: RulesDocument, days: ClosedRange<Day>)?

  /// Creates a timeline.
  public init(
    account: Account, history: AccountHistory? = nil, openWindows: [UserWindow],
    looks: LookHistories = LookHistories(), inboxThrough: Instant = .earliest,
    excuses: [LedgerState.Excuse], rules: RuleHistory, terms: EngineTerms
  ) {
    ground = Ground(account, history, inboxThrough: inboxThrough, excuses, rules, terms)
    self.openWindows = openWindows
    self.looks = looks
    evidence = history?.evidence ?? account.evidence
    credits = history?.credits ?? account.credits
  }

  /// Creates the timeline of the account at `index` of `state`, without open days: for questions about closed ones.
  public init(_ state: LedgerState, at index: Int, terms: EngineTerms) {
    self.init(
      account: state.account(at: index), history: state.history(at: index), openWindows: [],
      excuses: state.excuses(for: state.account(at: index).id), rules: state.rules, terms: terms)
  }

  /// Adds evidence that is about to be recorded.
  mutating func add(_ item: RecordedEvidence) { evidence.append(item) }

  /// Adds a credit that is about to be recorded.
  mutating func add(_ item: RecordedCredit) { credits.append(item) }

  /// Returns the rules by which a closed day was judged with what the line `seq` knew; the last line knows all.
  func rules(on day: Day, asOf seq: UInt64) -> RulesDocument? {
    if let tried, tried.days.contains(day) { return tried.document }
    return rules.book(asOf: seq)?.rules(on: day)
  }

  /// Returns the version of the rules for a day by all that is known; empty before the first rules.
  func version(ofRulesOn day: Day) -> String { rules(on: day, asOf: .max)?.version ?? "" }
}

extension Timeline {
  /// What the ledger says of the user.
  @inlinable public var account: Account { ground.account }
  /// The user's whole past; nil when the timeline begins at the last closed day.
  @inlinable public var history: AccountHistory? { ground.history }
  /// Up to where a reading of the inbox proves that nothing else happened.
  @inlinable public var inboxThrough: Instant { ground.inboxThrough }
  /// The declared outages that cover days of the user.
  @inlinable public var excuses: [LedgerState.Excuse] { ground.excuses }
  /// The rules, as of each line of the ledger.
  @inlinable public var rules: RuleHistory { ground.rules }
  /// What does not change from user to user.
  @inlinable public var terms: EngineTerms { ground.terms }
  /// Everything that stands for days from the base on.
  @inlinable public var grants: [StandingGrant] { ground.grants }
}
