import CivilTime
import Evidence
import Ledger
import RewardRules
import Scheduling

extension [Record] {
  /// The grants, adjustments included, in order.
  var grants: [GrantRecord] {
    compactMap { if case .grant(let grant) = $0.body { grant } else { nil } }
  }
  var evidence: [EvidenceRecord] {
    compactMap { if case .evidence(let evidence) = $0.body { evidence } else { nil } }
  }
  var streaks: [StreakRecord] {
    compactMap { if case .streak(let streak) = $0.body { streak } else { nil } }
  }
  var unknowns: [UnknownRecord] {
    compactMap { if case .unknown(let unknown) = $0.body { unknown } else { nil } }
  }
  var closes: [CloseRecord] {
    compactMap { if case .close(let close) = $0.body { close } else { nil } }
  }
  var refusals: [RefusedRecord] {
    compactMap { if case .refused(let refused) = $0.body { refused } else { nil } }
  }
  var credits: [CreditRecord] {
    compactMap { if case .credit(let credit) = $0.body { credit } else { nil } }
  }
  var users: [UserRecord] {
    compactMap { if case .user(let user) = $0.body { user } else { nil } }
  }

  /// Keys that stand on more than one line.
  var doubledKeys: [String] {
    var seen: Set<String> = []
    return grants.map(\.key).filter { !seen.insert($0).inserted }
  }

  /// Days that are closed more than once in one zone.
  var doubledCloses: [String] {
    var seen: Set<String> = []
    return closes.map { "\($0.zone)/\($0.window.day)" }.filter { !seen.insert($0).inserted }
  }

  /// What each key gives once its adjustments are added up; keys that give nothing are left out.
  var net: [String: NetReward] {
    var net: [String: NetReward] = [:]
    for record in self {
      switch record.body {
      case .grant(let grant):
        let key = String(grant.key.prefix { $0 != "#" })
        net[key, default: NetReward()].add(grant)
      case .reversal(let reversal): net[reversal.key, default: NetReward()].take(reversal)
      default: break
      }
    }
    return net.filter { $0.value != NetReward() }
  }
}

/// What a user has under one key.
struct NetReward: Equatable {
  var points: Int64 = 0
  var exp: Int64 = 0
  var coins: Int64 = 0
  var items: Set<String> = []
  var booster: BoosterWindow?
  /// What a reversal that is undone brings back.
  private var lastBooster: BoosterWindow?

  mutating func add(_ grant: GrantRecord) {
    points += grant.reward.points
    exp += grant.reward.exp
    coins += grant.reward.coins
    items.subtract(grant.removedItems)
    items.formUnion(grant.reward.items)
    booster = grant.reward.booster
    if booster != nil { lastBooster = booster }
  }

  mutating func take(_ reversal: ReversalRecord) {
    points += reversal.reward.points
    exp += reversal.reward.exp
    coins += reversal.reward.coins
    items.subtract(reversal.removedItems)
    items.formUnion(reversal.reward.items)
    booster = reversal.undone ? lastBooster : nil
  }

  static func == (left: NetReward, right: NetReward) -> Bool {
    left.points == right.points && left.exp == right.exp && left.coins == right.coins
      && left.items == right.items && left.booster == right.booster
  }
}

extension CloseReport {
  /// What was closed, nil when the day waits.
  var closed: ClosedZoneDay? { if case .closed(let day) = self { day } else { nil } }
  /// Why the day waits, nil when it is closed.
  var objection: String? { if case .waiting(_, let objection) = self { objection } else { nil } }
}
