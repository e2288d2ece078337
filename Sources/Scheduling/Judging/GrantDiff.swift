import CivilTime
import Ledger
import RewardRules

/// Compares what the rules demand for the open days of one user with what stands in the ledger.
///
/// Running it on its own result gives nothing.
struct GrantDiff {
  let account: Account
  /// The rules' version by day, for the records.
  let version: (Day) -> String
  let cause: String
  /// What may be taken back; nil for everything.
  var mayRetract: ((StandingGrant) -> Bool)?

  /// The records that bring the ledger to `intents`, in order.
  ///
  /// `isComplete` says that no earlier day is undecided. When something stands that cannot be derived because a day
  /// is undecided, nothing that stands is touched: only missing grants are added.
  func records(for intents: [GrantIntent], isComplete: Bool) -> [RecordBody] {
    let demanded = Set(intents.map(\.key))
    let underivable = account.grants.filter { grant in
      guard let key = grant.key, !grant.isReversed else { return false }
      return !demanded.contains(key) && grant.net.isSomething && mayRetract?(grant) ?? true
    }
    let mayAdjust = isComplete || underivable.isEmpty
    let standing = finder
    var records: [RecordBody] = []
    for intent in intents {
      guard let standing = standing(intent.key) else {
        records.append(.grant(record(of: intent)))
        continue
      }
      // Another length of the streak may give the same reward; the days after it count on from the length.
      let isAsDemanded =
        standing.net.gives(the: intent.reward)
        && standing.streak == intent.streak.map(StreakMark.init)
      if mayAdjust, !standing.isReversed, !isAsDemanded {
        records.append(.grant(adjustment(of: standing, to: intent.reward, by: intent)))
      }
    }
    if mayAdjust {
      for grant in underivable {
        records.append(.grant(adjustment(of: grant, to: Reward(), by: nil)))
      }
    }
    return records
  }

  /// Finds what stands under a key: few grants by looking at each, a long past by an index.
  private var finder: (RewardKey) -> StandingGrant? {
    let grants = account.grants
    if grants.count < 32 { return { key in grants.first { $0.key == key } } }
    let places = Dictionary(
      grants.indices.compactMap { place in grants[place].key.map { ($0, place) } }
    ) { first, _ in first }
    return { key in places[key].map { grants[$0] } }
  }

  private func record(of intent: GrantIntent) -> GrantRecord {
    GrantRecord(
      key: intent.key.text(user: account.id), user: account.id, day: intent.day,
      mission: intent.key.mission, effective: intent.effective, rules: version(intent.day),
      reward: intent.reward, evidence: intent.evidence.map { [$0] } ?? [],
      streak: intent.streak.map(StreakMark.init),
      cause: cause)
  }

  /// The adjustment that brings `standing` to `reward`; its booster is the one that stands afterwards.
  private func adjustment(
    of standing: StandingGrant, to reward: Reward, by intent: GrantIntent?
  ) -> GrantRecord {
    var difference = Reward()
    difference.points = reward.points - standing.net.points
    difference.baseExp = reward.baseExp - standing.net.baseExp
    difference.multiplier = reward.multiplier
    difference.exp = reward.exp - standing.net.exp
    difference.coins = reward.coins - standing.net.coins
    difference.items = reward.items.filter { !standing.net.items.contains($0) }
    difference.booster = reward.booster
    // What nothing was left of counts to the day that brings it back.
    let day = standing.net.isSomething ? standing.day : intent?.day ?? standing.day
    return GrantRecord(
      key: "\(standing.text)#\(standing.adjustments + 1)", user: account.id, day: day,
      mission: standing.key?.mission ?? "manual",
      effective: intent?.effective ?? standing.effective,
      rules: version(day), reward: difference,
      removedItems: standing.net.items.filter { !reward.items.contains($0) },
      isVoid: intent == nil,
      evidence: intent?.evidence.map { [$0] } ?? [], streak: intent?.streak.map(StreakMark.init),
      cause: cause)
  }
}

extension Reward {
  /// Whether a user who has this has just what `other` gives.
  func gives(the other: Reward) -> Bool {
    points == other.points && exp == other.exp && coins == other.coins && booster == other.booster
      && items.sorted() == other.items.sorted()
  }
}

extension StreakMark {
  /// What of a streak is written down.
  init(_ state: StreakState) { self.init(length: state.length, cycleDay: state.cycleDay) }
}
