package import CivilTime
package import Evidence
package import Ledger
import RewardRules

/// All that one user's rewards depend on: the engine's only input.
///
/// A timeline begins at a base. With a history, that is the user's beginning; without one, it is the end of the last
/// closed day, whose state the account holds. So a million users stay small, and the past is the same type, read from
/// the user's lines.
package struct Timeline: Sendable {
  /// The parts of a timeline that no poll and no line changes. All copies share it, because copying the many parts of
  /// an account and a past costs more than judging a day.
  final class Ground: Sendable {
    let account: Account
    let history: AccountHistory?
    let inboxThrough: Instant
    let excuses: [LedgerState.Excuse]
    let rules: RuleHistory
    let terms: EngineTerms
    let grants: [StandingGrant]

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

  let ground: Ground
  /// The windows of open days, in order, up to the present.
  package internal(set) var openWindows: [UserWindow]
  /// What the polls proved about open days.
  package var looks: LookHistories
  /// The user's evidence from the base on, followed by what was added since, in ledger order.
  package private(set) var evidence: [RecordedEvidence]
  /// The user's credits from the base on, followed by what was added since.
  package private(set) var credits: [RecordedCredit]
  /// The last line whose facts count for open days.
  package var openThrough: UInt64 = .max
  /// Rules tried on some days in place of those in force, to see their effect.
  var tried: (document: RulesDocument, days: ClosedRange<Day>)?

  package init(
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

  /// Creates the timeline of the account at `index` of `state` without open days, for questions about closed ones.
  package init(_ state: LedgerState, at index: Int, terms: EngineTerms) {
    self.init(
      account: state.account(at: index), history: state.history(at: index), openWindows: [],
      excuses: state.excuses(for: state.account(at: index).id), rules: state.rules, terms: terms)
  }

  /// Adds evidence that is about to be recorded.
  mutating func add(_ item: RecordedEvidence) { evidence.append(item) }

  /// Adds a credit that is about to be recorded.
  mutating func add(_ item: RecordedCredit) { credits.append(item) }

  /// Returns the rules for a day as of the line `seq`; `.max` means everything known.
  func rules(on day: Day, asOf seq: UInt64) -> RulesDocument? {
    if let tried, tried.days.contains(day) { return tried.document }
    return rules.book(asOf: seq)?.rules(on: day)
  }

  /// Returns the version of the rules for a day, by everything known; empty before the first rules.
  func version(ofRulesOn day: Day) -> String { rules(on: day, asOf: .max)?.version ?? "" }
}

extension Timeline {
  /// The user's account, according to the ledger.
  package var account: Account { ground.account }
  /// The user's whole past; nil if the timeline begins at the last closed day.
  package var history: AccountHistory? { ground.history }
  /// Until when a reading of the inbox proves that nothing else happened.
  package var inboxThrough: Instant { ground.inboxThrough }
  /// The outages and pardons that cover days of the user.
  package var excuses: [LedgerState.Excuse] { ground.excuses }
  /// The rules as of each ledger line.
  package var rules: RuleHistory { ground.rules }
  /// The terms that are the same for all users.
  package var terms: EngineTerms { ground.terms }
  /// All standing grants for days from the base on.
  package var grants: [StandingGrant] { ground.grants }
}
