import CivilTime
import Evidence
import Ledger
import RewardRules

/// The ledger's account of one user, for comparison with the user's true life.
struct DemoAccount {
  /// The net points under each key of a mission, with adjustments added up.
  var missions: [RewardKey: Int64] = [:]
  /// The streak lengths of login grants by day; the last entry counts.
  var logins: [Day: Int32] = [:]
  /// The days and missions recorded as unknown.
  var unknown: Set<RewardKey> = []
  /// What happened to the streak on days without a login grant.
  var marks: [Day: StreakChange] = [:]
}

/// The parts of the ledger that the comparison needs.
struct DemoLedger {
  private(set) var accounts: [String: DemoAccount] = [:]
  /// The closed windows of each zone, in order.
  private(set) var closes: [String: [DayWindow]] = [:]
  private(set) var grants = 0
  private(set) var adjustments = 0
  private(set) var refused = 0
  private(set) var unknowns = 0

  /// Adds the next record.
  mutating func add(_ record: Record) {
    switch record.body {
    case .grant(let grant): add(grant)
    case .unknown(let unknown):
      unknowns += 1
      accounts[unknown.user, default: DemoAccount()].unknown.insert(
        .mission(unknown.day, unknown.mission))
    case .streak(let streak):
      accounts[streak.user, default: DemoAccount()].marks[streak.day] = streak.what
    case .close(let close): closes[close.zone, default: []].append(close.window)
    case .refused: refused += 1
    default: break
    }
  }

  private mutating func add(_ grant: GrantRecord) {
    if grant.isAdjustment { adjustments += 1 } else { grants += 1 }
    guard let key = RewardKey(text: grant.baseKey) else { return }
    switch key {
    case .mission:
      accounts[grant.user, default: DemoAccount()].missions[key, default: 0] += grant.reward.points
    case .login(let day):
      accounts[grant.user, default: DemoAccount()].logins[day] = grant.streak?.length
    case .level: break
    }
  }
}
