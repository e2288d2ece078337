/// What a user has left, as the system knows it in which points are spent.
public struct Holdings: Sendable, Equatable {
  /// Shop points.
  public let points: Int64
  /// Cheer coins.
  public let coins: Int64

  /// Holdings.
  public init(points: Int64, coins: Int64) {
    self.points = points
    self.coins = coins
  }
}
