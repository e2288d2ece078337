internal import Evidence

/// The next thing of a day that changes an account.
enum RewardEvent {
  /// The credit at this place of ``RewardQueue/credits``.
  case credit(Int)
  case login(EarliestEvidence)
  case mission(ActivityKind, EarliestEvidence)
  /// The level reward at this place of ``RewardQueue/dueLevels``.
  case level(Int)
}
