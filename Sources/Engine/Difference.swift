import CivilTime
import Ledger
import RewardRules

/// Compares the grants that the rules require for some days of one user with those in the ledger.
///
/// Applied to its own result, it finds no difference.
struct Difference {
  /// All standing grants, including void ones under level keys.
  private let standing: [StandingGrant]
  private let timeline: Timeline
  /// The evaluated days, whose rules versions the records name.
  private let days: [EvaluatedDay]
  private let cause: String

  init(_ timeline: Timeline, _ days: [EvaluatedDay], cause: String) {
    self.days = days
    self.timeline = timeline
    let account = timeline.account
    var standing = timeline.grants
    if timeline.history == nil {
      for closed in account.grants.closedLevels where closed.isVoid {
        standing.append(
          StandingGrant(
            closed, user: account.id, at: account.boundary, day: account.boundaryDay))
      }
    }
    self.standing = standing
    self.cause = cause
  }

  private var user: String { timeline.account.id }

  /// Returns the version of the rules on a day, for the records.
  private func version(_ day: Day) -> String {
    days.first { $0.day == day }?.rules.version ?? timeline.version(ofRulesOn: day)
  }

  /// Returns the records after which the ledger holds `intents`.
  ///
  /// Takes back only grants that `mayRetract` allows. `isComplete` says that no earlier day is pending. If a pending
  /// day prevents a standing grant from being derived, no standing grant is changed and only missing grants are added.
  func records(
    for intents: [GrantIntent], isComplete: Bool, mayRetract: (StandingGrant) -> Bool
  ) -> [RecordBody] {
    let isDemanded = finder(of: intents)
    // By index, because a grant has many parts and nearly all are already correct.
    let underivable = standing.indices.filter { place in
      guard let key = standing[place].key, !standing[place].isReversed, !standing[place].isVoid
      else { return false }
      return mayRetract(standing[place]) && !isDemanded(key)
    }
    let mayAdjust = isComplete || underivable.isEmpty
    let find = finder(where: isDemanded)
    var records: [RecordBody] = []
    for intent in intents {
      guard let place = find(intent.key) else {
        records.append(.grant(record(of: intent)))
        continue
      }
      // A different streak length may give the same reward, but later days continue from the length.
      let isAsDemanded =
        !standing[place].isVoid && standing[place].net.gives(the: intent.reward)
        && standing[place].streak == intent.streak
      if mayAdjust, !standing[place].isReversed, !isAsDemanded {
        records.append(.grant(adjustment(of: standing[place], to: intent.reward, by: intent)))
      }
    }
    if mayAdjust {
      for place in underivable {
        records.append(.grant(adjustment(of: standing[place], to: Reward(), by: nil)))
      }
    }
    return records
  }

  /// Returns a test for whether a key is required. Searches a short list directly and indexes a long one.
  private func finder(of intents: [GrantIntent]) -> (RewardKey) -> Bool {
    if intents.count < 32 {
      // No key of another day is required.
      let keyDays = intents.lazy.compactMap(\.key.day)
      let (first, last) = (keyDays.min(), keyDays.max())
      return { key in
        if let first, let last, let day = key.day, day < first || day > last { return false }
        return intents.contains { $0.key == key }
      }
    }
    let demanded = Set(intents.map(\.key))
    return { demanded.contains($0) }
  }

  /// Returns a lookup of the grant that stands under a required key. Searches few grants directly; for a long past,
  /// indexes only the required ones.
  private func finder(where isDemanded: (RewardKey) -> Bool) -> (RewardKey) -> Int? {
    let standing = standing
    if standing.count < 32 {
      return { key in standing.indices.first { standing[$0].key == key } }
    }
    var places: [RewardKey: Int] = [:]
    // The first one counts.
    for place in standing.indices.reversed() {
      if let key = standing[place].key, isDemanded(key) { places[key] = place }
    }
    return { places[$0] }
  }

  private func record(of intent: GrantIntent) -> GrantRecord {
    GrantRecord(
      key: intent.key.text(user: user), user: user, day: intent.day, mission: intent.key.mission,
      effective: intent.effective, rules: version(intent.day), reward: intent.reward,
      evidence: intent.evidence.map { [$0] } ?? [], streak: intent.streak,
      cause: cause)
  }

  /// Returns the adjustment that brings `standing` to `reward`; its booster is the one in force afterwards.
  private func adjustment(
    of standing: StandingGrant, to reward: Reward, by intent: GrantIntent?
  ) -> GrantRecord {
    var difference = Reward()
    difference.amounts = reward.amounts - standing.net.amounts
    difference.baseExp = reward.baseExp - standing.net.baseExp
    difference.multiplier = reward.multiplier
    difference.items = reward.items.filter { !standing.net.items.contains($0) }
    difference.booster = reward.booster
    // A void grant counts to the day that restores it.
    let day = standing.isVoid ? intent?.day ?? standing.day : standing.day
    return GrantRecord(
      key: "\(standing.text)#\(standing.adjustments + 1)", user: user, day: day,
      mission: standing.key?.mission ?? OtherMission.manual.rawValue,
      effective: intent?.effective ?? standing.effective,
      rules: version(day), reward: difference,
      removedItems: standing.net.items.filter { !reward.items.contains($0) },
      isVoid: intent == nil,
      evidence: intent?.evidence.map { [$0] } ?? [], streak: intent?.streak,
      cause: cause)
  }
}

extension Reward {
  /// Returns whether the reward is exactly what `other` gives.
  func gives(the other: Reward) -> Bool {
    amounts == other.amounts && booster == other.booster
      && (items == other.items || items.sorted() == other.items.sorted())
  }
}

extension RefusedRecord {
  /// Creates the refusal of a grant beyond a limit, which waits for an operator.
  init(holding intent: GrantIntent, of user: String) {
    let key = intent.key.text(user: user)
    self.init(
      user: user, day: intent.day, what: .heldBack, key: key,
      detail: "the day's limit is passed; rewards release \(key) --reason … lets it through",
      amounts: intent.reward.amounts, streak: intent.streak)
  }
}
