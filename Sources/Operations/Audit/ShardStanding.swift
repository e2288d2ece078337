import CivilTime
import Configuration
import Engine
import Ledger
import RewardRules
public import Scheduling

/// What one of several ledgers says that must fit the others of its database.
public struct ShardStanding: Sendable {
  /// Which of them it is.
  let share: LedgerShare
  /// How many users it has.
  let users: Int
  /// Those of them whose shard is another one, in the order of the ledger.
  let strangers: [String]
  /// The rules documents in force, by their first day.
  let rules: [RulesDocument]
  /// From the first user's first day to the last closed one; nil before the first close.
  let judged: ClosedRange<Day>?
  /// The most streaks that one close of a zone's date has ended, as far as the audit has read closes.
  let mostBroken: [ZoneDay: Int]

  init(
    _ share: LedgerShare, users: Int, strangers: [String], rules: [RulesDocument],
    judged: ClosedRange<Day>?, mostBroken: [ZoneDay: Int]
  ) {
    self.share = share
    self.users = users
    self.strangers = strangers
    self.rules = rules
    self.judged = judged
    self.mostBroken = mostBroken
  }

  init(_ share: LedgerShare, _ commons: AuditCommons) {
    let accounts = commons.state.accounts
    let first = accounts.lazy.map(\.firstDay).min()
    let last = commons.state.closes.values.lazy.map(\.last.day).max()
    var judged: ClosedRange<Day>?
    if let first, let last, first <= last { judged = first...last }
    self.init(
      share, users: accounts.count,
      strangers: accounts.lazy.map(\.id).filter { !share.holds($0) },
      rules: commons.state.rules.current?.documents ?? [], judged: judged,
      mostBroken: commons.count.mostBroken)
  }
}

/// What a shard has told the others of a day that it has closed since.
public struct ToldClose: Sendable {
  let shard: Int
  let place: ZoneDay
  let broken: Int

  /// That `broken` streaks would end in a shard with a zone's date.
  public init(shard: Int, place: ZoneDay, broken: Int) {
    self.shard = shard
    self.place = place
    self.broken = broken
  }
}
