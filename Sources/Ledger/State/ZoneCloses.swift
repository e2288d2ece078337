public import CivilTime

/// How far a zone is closed, and how streaks fared in its last closes.
public struct ZoneCloses: Sendable, Equatable {
  /// One close's share of broken streaks.
  public struct Share: Sendable, Equatable {
    /// The number of users who had a streak.
    public var streaks: Int
    /// The number of streaks broken.
    public var broken: Int
  }

  /// The number of closes remembered.
  public static let memory = 28

  /// The window of the last closed day. A close of an earlier day, for users who were behind, does not change it.
  public var last: DayWindow
  /// The shares of the last closes, oldest first.
  public var shares: [Share] = []

  /// Creates a zone with one close.
  public init(last: DayWindow) { self.last = last }

  /// Adds a close.
  public mutating func add(_ window: DayWindow, streaks: Int, broken: Int) {
    if window.day >= last.day { last = window }
    shares.append(Share(streaks: streaks, broken: broken))
    if shares.count > Self.memory { shares.removeFirst() }
  }
}
