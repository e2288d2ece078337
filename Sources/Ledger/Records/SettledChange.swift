public import CivilTime

/// What a change of closed days leaves of a user besides the sums: stands on the last grant record of that change.
public struct SettledChange: Sendable, Equatable {
  /// When the user's last booster ends; nil when there is none any more.
  public var boosterUntil: Instant?
  /// Items that the user no longer owns.
  public var lost: [String]

  /// A change.
  public init(boosterUntil: Instant?, lost: [String]) {
    self.boosterUntil = boosterUntil
    self.lost = lost
  }
}
