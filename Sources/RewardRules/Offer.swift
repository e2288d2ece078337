internal import CivilTime

/// What the rules offer under one key, before draws, boosters and limits.
struct Offer {
  let key: RewardKey
  let terms: RewardTerms
  let effective: Instant
  let evidence: UInt64?
  var streak: StreakState?
}
