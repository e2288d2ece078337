import Evidence

/// What a rules document says: its sections, each read or taken from the built-in rules.
struct RulesSections {
  let missions: MissionRules
  let activity: ActivityPolicy
  let streak: StreakRules
  let levels: LevelRules
  let boosterMultiplier: Int64
  let catalogue: Catalogue
  let fallback: RewardTerms
  let limits: DailyLimits
}
