internal import CivilTime

/// What the rules due under one key, before draws, boosters and limits.
struct DueReward {
  let key: RewardKey
  let terms: RewardTerms
  let effective: Instant
  let evidence: UInt64?
  var streak: StreakState?
}
