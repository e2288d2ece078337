import CivilTime
import Sandbox

/// The users of the polling benchmark and the moment at which all are polled: the same for both sides.
struct PollingWorld: Sendable {
  /// Noon of a day in the middle of the lives.
  static let moment = Instant(seconds: Int64(firstDay.number + 7) * 86_400 + 43_200)
  private static let firstDay = Day(number: 20_770)

  let life: LifeModel

  init(users: Int) {
    life = LifeModel(seed: 1, userCount: users, firstDay: Self.firstDay, dayCount: 8)
  }

  /// The roster: all users, judged from today.
  var roster: String {
    life.users.map { #"{"user":"\#($0.id)","timezone":"\#($0.zone)"}"# + "\n" }.joined()
  }

  /// The paths that a sweep requests, below the base URL: three routes for each user.
  var paths: String {
    life.users.map { user in
      """
      /channel/streaming/date/\(user.id)
      /channel/watch/streaming/\(user.id)
      /yell/info/get/\(user.id)

      """
    }.joined()
  }
}
