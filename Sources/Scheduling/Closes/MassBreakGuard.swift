/// Holds back a close in which far more streaks would break than usual, since that is an outage until proven otherwise.
package struct MassBreakGuard: Sendable, Equatable {
  /// How many times the usual share of breaks is too much.
  package var factor: Int
  /// With fewer streaks than this, the share means nothing and the guard does not object.
  package var minimumStreaks: Int
  /// The usual share, as one in this many, while the ledger has fewer than ``minimumStreaks`` streaks.
  static let unknownShare = 10

  /// Creates a guard, by default against more than five times the usual share.
  package init(factor: Int = 5, minimumStreaks: Int = 20) {
    self.factor = factor
    self.minimumStreaks = minimumStreaks
  }

  /// Returns why a close with this count must wait for an operator; nil if it need not.
  package func objection(to count: StreakCount) -> String? {
    guard count.streaks >= minimumStreaks, count.broken > 0 else { return nil }
    var usual = (streaks: count.usualStreaks, broken: count.usualBroken)
    if usual.streaks < minimumStreaks { usual = (Self.unknownShare, 1) }
    // broken/streaks > factor × usual.broken/usual.streaks, without fractions. If none ever broke, one in a hundred
    // counts as usual.
    let usualBroken = max(usual.broken, usual.streaks / 100, 1)
    guard count.broken * usual.streaks > factor * usualBroken * count.streaks else { return nil }
    return
      "\(count.broken) of \(count.streaks) streaks would break, more than \(factor) times the usual \(usualBroken) of \(usual.streaks)"
  }
}
