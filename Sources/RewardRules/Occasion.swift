internal import Evidence

/// The next thing of a day that changes an account.
enum Occasion {
  case credit(Credit)
  case login(Touch)
  case mission(ActivityKind, Touch)
  case level(Offer)
}
