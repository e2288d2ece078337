internal import Evidence

/// The next thing of a day that changes an account.
enum Occasion {
  /// The credit at this place of ``OccasionQueue/credits``.
  case credit(Int)
  case login(Touch)
  case mission(ActivityKind, Touch)
  /// The level reward at this place of ``OccasionQueue/dueLevels``.
  case level(Int)
}
