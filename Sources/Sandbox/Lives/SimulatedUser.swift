/// A user of the simulated app.
public struct SimulatedUser: Sendable, Hashable {
  /// The place among the users, from 0.
  public let index: Int
  /// The account's id.
  public let id: String
  /// The IANA name of the zone in which the user lives.
  public let zone: String
  /// How the user spends the days.
  public let habit: Habit
  /// Seconds east of Greenwich by which the user's habits go.
  let offsetSeconds: Int64
  /// The day, counted from the first, on which a lapsed user stops or a newcomer begins.
  let turningDay: Int
}
