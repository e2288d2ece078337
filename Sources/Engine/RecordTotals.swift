package import CivilTime
package import Ledger
package import RewardRules

/// The totals of what records give and take.
package struct RecordTotals: Sendable, Equatable {
  /// The number of records.
  package private(set) var records = 0
  /// The number of grants under new keys.
  package private(set) var grants = 0
  /// The number of adjustments to standing keys.
  package private(set) var adjustments = 0
  /// The number of waivers.
  package private(set) var waivers = 0
  /// The number of grants reversed or restored.
  package private(set) var reversals = 0
  /// The amount of each unit; negative if more is taken than given.
  package private(set) var amounts = Amounts()
  /// The number of items given, over all keys.
  package private(set) var items = 0
  /// When the last booster given ends.
  package private(set) var boosterUntil: Instant?
  private var gained: [String: Int] = [:]

  /// Creates the totals of these records.
  package init(_ records: some Sequence<RecordBody>) {
    for record in records { add(record) }
  }

  /// Items taken more often than given.
  package var lostItems: Set<String> { Set(gained.filter { $0.value < 0 }.keys) }
  /// Items given more often than taken.
  package var gainedItems: Set<String> { Set(gained.filter { $0.value > 0 }.keys) }

  /// Adds a record.
  package mutating func add(_ body: RecordBody) {
    records += 1
    switch body {
    case .grant(let grant):
      if grant.isFor(.waived) {
        waivers += 1
      } else if grant.isAdjustment {
        adjustments += 1
      } else {
        grants += 1
      }
      add(grant.reward, removing: grant.removedItems)
    case .reversal(let reversal):
      reversals += 1
      add(reversal.reward, removing: reversal.removedItems)
    default: break
    }
  }

  private mutating func add(_ reward: Reward, removing removed: [String]) {
    amounts += reward.amounts
    items += reward.items.count - removed.count
    if let booster = reward.booster {
      boosterUntil = max(boosterUntil ?? booster.until, booster.until)
    }
    for item in reward.items { gained[item, default: 0] += 1 }
    for item in removed { gained[item, default: 0] -= 1 }
  }
}
