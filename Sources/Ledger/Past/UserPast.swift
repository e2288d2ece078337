public import CivilTime
internal import RewardRules

/// All that the ledger says of one user, with every closed day open again.
public struct UserPast: Sendable {
  /// The account as it stands: settled up to its boundary.
  public let account: Account
  /// The account as it would stand had no day been closed: everything ever granted, seen and credited is still open.
  public private(set) var reopened: Account
  /// The closed days, in order; days before a user left and came back are not among them.
  public let days: [PastDay]
  /// Declared outages that name the user or everybody, with their places in the ledger.
  public let excuses: [(seq: UInt64, excuse: ExcuseRecord)]

  /// Takes in what a plan is about to append: a reversal, a release, or what undoing takes from a waiver. The account stays
  /// as it stands.
  public mutating func assume(_ body: RecordBody) {
    switch body.unsettled {
    case .reversal(let reversal): reopened.apply(reversal, seq: 0, caps: [])
    case .operator(let act) where act.act == .release:
      if let key = RewardKey(text: act.subject) { reopened.release(key) }
    case .grant(let grant): reopened.apply(grant, seq: 0, caps: [])
    default: break
    }
  }

  /// The account once `records` are appended; `caps` gives the level table in force on a day.
  public func account(after records: [RecordBody], caps: (Day) -> [Int64]) -> Account {
    var account = account
    for record in records {
      switch record {
      case .grant(let grant): account.apply(grant, seq: 0, caps: caps(grant.day))
      case .reversal(let reversal):
        account.apply(reversal, seq: 0, caps: caps(account.boundaryDay))
      case .streak(let streak) where streak.what == .repaired:
        account.repairStreak(on: streak.day, to: streak.after, counts: false)
      default: break
      }
    }
    return account
  }

  /// Whether the ledger says this already.
  public func holds(_ body: RecordBody) -> Bool {
    switch body {
    case .reversal(let reversal):
      reopened.grants.contains { $0.text == reversal.key && $0.isReversed != reversal.undone }
    case .operator(let act) where act.act == .release:
      RewardKey(text: act.subject).map(reopened.released.contains) ?? false
    case .grant(let grant): holds(grant)
    default: true
    }
  }

  private func holds(_ grant: GrantRecord) -> Bool {
    let base = grant.baseKey
    guard let standing = reopened.grants.first(where: { $0.text == base }) else { return false }
    guard let number = grant.adjustment else { return true }
    return number > 0 && standing.adjustments >= number
  }
}
