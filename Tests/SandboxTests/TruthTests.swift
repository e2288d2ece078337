import CivilTime
import Evidence
import Sandbox
import TestSupport
import Testing

/// The rule by which an activity touches a span of time.
@Suite(.offThePool) struct TruthTests {
  private static func activity(_ from: Int64, _ to: Int64?) -> Activity {
    Activity.told(.stream, from: Instant(seconds: from), to: to.map { Instant(seconds: $0) })
  }

  /// The span is [100, 200).
  @Test(
    arguments: [
      ([], nil),
      ([activity(0, 99)], nil),
      ([activity(0, 100)], nil),
      ([activity(0, 101)], 100),
      ([activity(0, 500)], 100),
      ([activity(0, nil)], 100),
      ([activity(100, 101)], 100),
      ([activity(150, 160)], 150),
      ([activity(199, 300)], 199),
      ([activity(200, 300)], nil),
      ([activity(99, 99)], nil),
      ([activity(100, 100)], 100),
      ([activity(199, 199)], 199),
      ([activity(200, 200)], nil),
      ([activity(200, nil)], nil),
      ([activity(180, 190), activity(150, 151), activity(0, 100)], 150),
    ] as [([Activity], Int64?)])
  func touches(activities: [Activity], expected: Int64?) {
    let touch = Truth.firstTouch(
      by: activities, from: Instant(seconds: 100), to: Instant(seconds: 200))
    #expect(touch?.seconds == expected)
  }

  @Test func tilesOfTimeMissNothing() {
    let life = LifeModel(
      seed: 3, userCount: 30, firstDay: Day(year: 2026, month: 10, day: 20)!, dayCount: 14)
    let start = Instant(seconds: Int64(life.firstDay.number - 5) * 86_400)
    for user in life.users {
      for kind in ActivityKind.allCases {
        let activities = life.activities(of: user, kind)
        var touched: Set<Int64> = []
        for index in 0..<Int64(22 * 24) {
          let from = start.adding(seconds: index * 3_600)
          let touch = Truth.firstTouch(
            by: activities, from: from, to: from.adding(seconds: 3_600))
          if let touch { touched.insert((touch.seconds - start.seconds) / 3_600) }
        }
        let expected = activities.flatMap { activity in
          let last = max(activity.to.seconds - 1, activity.from.seconds)
          return (activity.from.seconds - start.seconds) / 3_600...(last - start.seconds) / 3_600
        }
        #expect(touched == Set(expected))
      }
    }
  }
}
