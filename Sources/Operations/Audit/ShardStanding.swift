package import CivilTime
import Configuration
import Engine
import Ledger
import RewardRules
import Scheduling

/// The properties of one ledger of several that must agree with the others of its database.
package struct ShardStanding: Sendable {
  /// The ledger's shard.
  let shardID: ShardID
  /// The number of its users.
  let users: Int
  /// Its users who belong to another shard, in the order of the ledger.
  let strangers: [String]
  /// The rules documents in force, ordered by first day.
  let rules: [RulesDocument]
  /// The days from the first user's first day to the last closed one; nil before the first close.
  let judged: ClosedRange<Day>?
  /// The most streaks ended by one close of each zone and date, among the closes that the audit has read.
  let mostBroken: [ZoneDay: Int]

  init(
    _ shardID: ShardID, users: Int, strangers: [String], rules: [RulesDocument],
    judged: ClosedRange<Day>?, mostBroken: [ZoneDay: Int]
  ) {
    self.shardID = shardID
    self.users = users
    self.strangers = strangers
    self.rules = rules
    self.judged = judged
    self.mostBroken = mostBroken
  }

  init(_ shardID: ShardID, _ commons: AuditCommons) {
    let accounts = commons.state.accounts
    self.init(
      shardID, users: accounts.count,
      strangers: accounts.lazy.map(\.id).filter { !shardID.holds($0) },
      rules: commons.state.rules.current?.documents ?? [], judged: commons.closedDays,
      mostBroken: commons.count.mostBroken)
  }
}

/// What a shard published about a day that it has since closed.
package struct PublishedClose: Sendable {
  let shard: Int
  let place: ZoneDay
  let broken: Int

  /// Creates the announcement that `broken` streaks would end in a shard at a zone's date.
  package init(shard: Int, place: ZoneDay, broken: Int) {
    self.shard = shard
    self.place = place
    self.broken = broken
  }
}
