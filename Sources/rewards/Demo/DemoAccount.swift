import CivilTime
import Evidence
import Ledger
import RewardRules

/// What the ledger says of one user, gathered for the comparison with the user's true life.
struct DemoAccount {
  /// Net points under each key of a mission, adjustments added up.
  var missions: [RewardKey: Int64] = [:]
  /// Streak lengths of login grants by day; the last word counts.
  var logins: [Day: Int32] = [:]
  /// Days and missions that are recorded as unknown.
  var unknown: Set<RewardKey> = []
  /// What became of the streak on days without a login grant.
  var marks: [Day: StreakChange] = [:]
}

/// The ledger as the comparison needs it.
struct DemoLedger {
  private(set) var accounts: [String: DemoAccount] = [:]
  /// The closed windows of each zone, in order.
  private(set) var closes: [String: [DayWindow]] = [:]
  private(set) var grants = 0
  private(set) var adjustments = 0
  private(set) var refused = 0
  private(set) var unknowns = 0

  /// Takes the next record in.
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
