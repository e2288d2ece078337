internal import CivilTime
internal import Evidence
import Foundations

/// The lives of users with habits: hours at which they come, days on which they do not, features that they never use.
///
/// Two in five never come, one in seven comes now and then, and the others come on most days, once or twice at about the same
/// time: give or take an hour, some hours later on days off for one in three, and at any hour one time in twenty. Nothing here
/// was fitted to the code that looks for habits.
struct HabitualLives {
  let seed: UInt64
  /// The first day of the month, in days since 1970.
  let firstDay: Int64
  let days: Int
  /// The day of the month from which everyone comes at other hours; nil for never.
  let changeDay: Int?

  /// A user's habits.
  private struct Habits {
    var comes: Double
    var hours: [Double]
    var laterOnFreeDays: Double
    var uses: [ActivityKind: Double]
  }

  /// Returns all activities of a user by route, in order of beginnings; midnight is `offset` seconds before that of UTC.
  func activities(of user: Int, offset: Int64) -> [Source: [Activity]] {
    var random = SplitMix64(seed: seed, UInt64(user), 41)
    var habits = habits(&random)
    var told: [Source: [Activity]] = [:]
    for day in -2..<Int64(days + 1) {
      if let changeDay, day == Int64(changeDay) {
        let shift = Double(random.number(in: 4...9)) * (random.chance(0.5) ? 1 : -1)
        habits.hours = habits.hours.map { ($0 + shift + 24).truncatingRemainder(dividingBy: 24) }
      }
      let midnight = (firstDay + day) * 86_400 - offset
      let isFree = (firstDay + day) % 7 < 2
      for hour in habits.hours where random.chance(habits.comes) {
        var at = hour + (isFree ? habits.laterOnFreeDays : 0) + deviation(&random)
        if random.chance(0.05) { at = 7 + 17 * random.fraction() }
        visit(midnight + Int64(at * 3_600), habits, &random, &told)
      }
    }
    return told.mapValues(Self.inOrder)
  }

  private func habits(_ random: inout SplitMix64) -> Habits {
    let kind = random.fraction()
    let comes = kind < 0.4 ? 0 : kind < 0.55 ? 0.12 : 0.6 + 0.38 * random.fraction()
    let evening = 17 + 7 * random.fraction()
    let second = random.chance(0.3) ? [7 + 8 * random.fraction()] : []
    return Habits(
      comes: comes, hours: [evening] + second,
      laterOnFreeDays: random.chance(0.33) ? 4 * random.fraction() - 2 : 0,
      uses: [
        .watch: random.chance(0.95) ? 0.7 + 0.3 * random.fraction() : 0,
        .gift: random.chance(0.6) ? 0 : random.chance(0.6) ? 0.15 : 0.7,
        .stream: random.chance(0.88) ? 0 : 0.6,
      ])
  }

  /// Returns by how many hours a visit is early or late: the sum of three dice, an hour or two at most.
  private func deviation(_ random: inout SplitMix64) -> Double {
    1.4 * (random.fraction() + random.fraction() + random.fraction() - 1.5)
  }

  private func visit(
    _ start: Int64, _ habits: Habits, _ random: inout SplitMix64,
    _ told: inout [Source: [Activity]]
  ) {
    for kind in [ActivityKind.watch, .stream, .gift] {
      guard random.chance(habits.uses[kind] ?? 0) else { continue }
      let from = start + random.number(in: 0...(kind == .gift ? 3_600 : 900))
      let duration = kind == .gift ? 0 : random.number(in: 600...7_200)
      told[kind.source, default: []].append(
        Activity(
          kind: kind, from: Instant(seconds: from), to: Instant(seconds: from + duration)))
    }
  }

  /// Returns the activities in order; a channel does not stream twice at once.
  private static func inOrder(_ activities: [Activity]) -> [Activity] {
    var list: [Activity] = []
    for activity in activities.sorted(by: { $0.from < $1.from }) {
      if activity.kind != .watch, let last = list.last, activity.from <= last.to { continue }
      list.append(activity)
    }
    return list
  }
}
