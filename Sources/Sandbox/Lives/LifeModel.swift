package import CivilTime
package import Evidence
import Foundations

/// What a number of users really did over some days, determined by a seed alone.
///
/// Nothing here uses days as the rewards define them: the lives only have instants. They begin three days before the first day,
/// so that there is something before it. Every instant is a whole second.
package struct LifeModel: Sendable {
  /// The seed that determines everything.
  package let seed: UInt64
  /// The first day of the simulation, in each user's own zone.
  package let firstDay: Day
  /// The number of days.
  package let dayCount: Int
  /// All users, in the order of their indexes.
  package let users: [SimulatedUser]
  /// Whether the app occasionally forgets that a watched stream has ended.
  private let isForgetful: Bool

  /// Creates the lives of `userCount` users.
  package init(
    seed: UInt64, userCount: Int, firstDay: Day, dayCount: Int, isForgetful: Bool = false
  ) {
    self.isForgetful = isForgetful
    self.seed = seed
    self.firstDay = firstDay
    self.dayCount = dayCount
    let habits = Habit.allCases.flatMap { Array(repeating: $0, count: $0.weight) }
    let homes = HomeZone.all.flatMap { Array(repeating: $0, count: $0.weight) }
    users = (0..<userCount).map { index in
      var random = SplitMix64(seed: seed, UInt64(index), Self.purposeOfUser)
      let home = random.pick(homes)
      return SimulatedUser(
        index: index, id: "u\(100_000 + index)", zone: home.name, habit: random.pick(habits),
        offsetSeconds: home.offsetSeconds,
        turningDay: Int(random.number(in: 1...Int64(max(1, dayCount - 1)))))
    }
  }

  /// Returns everything of one kind that a user really did, in order of beginnings. Computed anew at each call.
  ///
  /// Every activity has an end, except that for some users of a forgetful app, one watched stream ends at
  /// ``CivilTime/Instant/latest``. Streams of one user never overlap, but watched streams may; no two gifts share a second.
  package func activities(of user: SimulatedUser, _ kind: ActivityKind) -> [Activity] {
    var random = SplitMix64(seed: seed, UInt64(user.index), UInt64(kind.rawValue))
    var activities: [Activity] = []
    for index in -3...dayCount where isActive(user, onDay: index) {
      let day = LifeDay(
        midnight: Int64(firstDay.number + Int32(index)) * 86_400 - user.offsetSeconds,
        isNightOwl: user.habit == .nightOwl)
      for activity in day.activities(of: kind, &random) {
        // A channel cannot stream twice at once, and a second holds only one gift.
        if kind != .watch, let last = activities.last, activity.from <= last.to {
          continue
        }
        activities.append(activity)
      }
    }
    guard kind == .watch else { return activities }
    // Days overlap by some hours.
    activities.sort { $0.from < $1.from }
    var forgetting = SplitMix64(seed: seed, UInt64(user.index), Self.purposeOfForgetting)
    if isForgetful, !activities.isEmpty, forgetting.chance(0.2) {
      let index = Int(forgetting.number(in: 0...Int64(activities.count - 1)))
      activities[index] = Activity(kind: kind, from: activities[index].from, to: .latest)
    }
    return activities
  }

  private static let purposeOfUser: UInt64 = 1 << 32
  private static let purposeOfDay: UInt64 = 2 << 32
  private static let purposeOfForgetting: UInt64 = 3 << 32

  private func isActive(_ user: SimulatedUser, onDay index: Int) -> Bool {
    let date = firstDay.adding(days: Int32(index))
    var random = SplitMix64(
      seed: seed, UInt64(user.index), Self.purposeOfDay, UInt64(bitPattern: Int64(index)))
    return random.chance(
      user.habit.probability(onDay: index, weekday: date.weekday, turn: user.turningDay))
  }
}

/// A user of the simulated app.
package struct SimulatedUser: Sendable, Hashable {
  /// The user's index, from 0.
  package let index: Int
  /// The account's id.
  package let id: String
  /// The IANA name of the user's zone.
  package let zone: String
  /// How the user spends their days.
  package let habit: Habit
  /// The offset in seconds east of Greenwich that the user's habits follow.
  let offsetSeconds: Int64
  /// The day, counted from the first, on which a lapsed user stops or a newcomer begins.
  let turningDay: Int
}
