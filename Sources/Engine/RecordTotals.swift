public import CivilTime
public import Ledger
public import RewardRules

/// What records give and take, added up.
public struct RecordTotals: Sendable, Equatable {
  /// Records in all.
  public private(set) var records = 0
  /// Grants under keys that had none.
  public private(set) var grants = 0
  /// Adjustments of keys that stand.
  public private(set) var adjustments = 0
  /// Waivers.
  public private(set) var waivers = 0
  /// Grants taken back, or given again.
  public private(set) var reversals = 0
  /// How much of each unit, negative when more is taken than given.
  public private(set) var amounts = Amounts()
  /// Items given, over all keys.
  public private(set) var items = 0
  /// When the last booster that was given ends.
  public private(set) var boosterUntil: Instant?
  private var gained: [String: Int] = [:]

  /// What these records give and take.
  public init(_ records: some Sequence<RecordBody>) {
    for record in records { add(record) }
  }

  /// Items that are taken more often than given.
  public var lostItems: Set<String> { Set(gained.filter { $0.value < 0 }.keys) }
  /// Items that are given more often than taken.
  public var gainedItems: Set<String> { Set(gained.filter { $0.value > 0 }.keys) }

  private mutating func add(_ body: RecordBody) {
    records += 1
    switch body {
    case .grant(let grant):
      if grant.mission == "waived" {
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
