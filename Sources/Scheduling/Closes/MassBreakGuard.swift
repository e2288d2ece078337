/// Holds a close back in which far more streaks would break than usual: that is an outage until proven otherwise.
public struct MassBreakGuard: Sendable, Equatable {
  /// How many times the usual share of breaks is too much.
  public var factor: Int
  /// With fewer streaks than this the share says nothing, and the guard is silent.
  public var minimumStreaks: Int
  /// The usual share while the ledger knows fewer than ``minimumStreaks`` streaks: one in so many.
  static let unknownShare = 10

  /// Creates a guard; five times the usual share by the spec.
  public init(factor: Int = 5, minimumStreaks: Int = 20) {
    self.factor = factor
    self.minimumStreaks = minimumStreaks
  }

  /// Why a close with such a count must wait for an operator, or nil.
  public func objection(to count: StreakCount) -> String? {
    guard count.streaks >= minimumStreaks, count.broken > 0 else { return nil }
    var usual = (streaks: count.usualStreaks, broken: count.usualBroken)
    if usual.streaks < minimumStreaks { usual = (Self.unknownShare, 1) }
    // broken/streaks > factor × usual.broken/usual.streaks, without fractions. Where none ever broke, one in a hundred
    // is taken as usual.
    let usualBroken = max(usual.broken, usual.streaks / 100, 1)
    guard count.broken * usual.streaks > factor * usualBroken * count.streaks else { return nil }
    return
      "\(count.broken) of \(count.streaks) streaks would break, more than \(factor) times the usual \(usualBroken) of \(usual.streaks)"
  }
}
