import CivilTime
import Evidence
import Sandbox
import TestSupport
import Testing

/// Whether the simulated lives are lives: plausible, varied, and the same for the same seed.
@Suite(.offThePool) struct LifeModelTests {
  private static let life = LifeModel(
    seed: 7, userCount: 400, firstDay: Day(year: 2026, month: 3, day: 20)!, dayCount: 14)

  @Test func theSeedAloneDecides() {
    let again = LifeModel(seed: 7, userCount: 40, firstDay: Self.life.firstDay, dayCount: 14)
    let other = LifeModel(seed: 8, userCount: 40, firstDay: Self.life.firstDay, dayCount: 14)
    #expect(again.users == Array(Self.life.users.prefix(40)))
    #expect(other.users != again.users)
    for kind in ActivityKind.allCases {
      let histories = again.users.map { again.activities(of: $0, kind) }
      #expect(histories == Self.life.users.prefix(40).map { Self.life.activities(of: $0, kind) })
      #expect(histories != other.users.map { other.activities(of: $0, kind) })
    }
  }

  @Test(arguments: ActivityKind.allCases)
  func historiesAreInOrder(kind: ActivityKind) {
    for user in Self.life.users {
      let history = Self.life.activities(of: user, kind)
      #expect(history.map(\.from) == history.map(\.from).sorted())
      for activity in history {
        let end = activity.to
        #expect(activity.from.nanoseconds == 0 && end.nanoseconds == 0)
        #expect(kind == .stream || kind == .watch ? end > activity.from : end == activity.from)
      }
      guard kind != .watch else { continue }
      for (earlier, later) in zip(history, history.dropFirst()) {
        #expect(earlier.to < later.from)
      }
    }
  }

  @Test func usersLiveInManyZonesAndWays() {
    let zones = Set(Self.life.users.map(\.zone))
    #expect(zones.count > 12)
    let inTokyo = Self.life.users.count { $0.zone == "Asia/Tokyo" }
    #expect((100...240).contains(inTokyo))
    #expect(Set(Self.life.users.map(\.habit)) == Set(Habit.allCases))
    #expect(Set(Self.life.users.map(\.id)).count == 400)
  }

  @Test func livesHoldWhatIsHardToJudge() {
    let life = Self.life
    let tokyo = life.users.filter { $0.zone == "Asia/Tokyo" }
    let midnight = Int64(32_400)
    func crosses(_ activity: Activity) -> Bool {
      (activity.from.seconds + midnight) / 86_400 != (activity.to.seconds + midnight) / 86_400
    }
    let streams = tokyo.flatMap { life.activities(of: $0, .stream) }
    let watched = tokyo.flatMap { life.activities(of: $0, .watch) }
    let gifts = tokyo.flatMap { life.activities(of: $0, .gift) }
    #expect(streams.count(where: crosses) > 50)
    #expect(streams.count { $0.to.seconds - $0.from.seconds > 12 * 3_600 } > 5)
    #expect(streams.contains { ($0.to.seconds + midnight) % 86_400 == 0 })
    #expect(watched.count(where: crosses) > 50)
    #expect(gifts.contains { ($0.from.seconds + midnight) % 86_400 == 0 })
    #expect(gifts.contains { ($0.from.seconds + midnight) % 86_400 == 86_399 })
  }

  @Test func habitsShow() {
    let life = Self.life
    func count(_ habit: Habit) -> Double {
      let users = life.users.filter { $0.habit == habit }
      return Double(users.reduce(0) { $0 + life.activities(of: $1, .login).count })
        / Double(users.count)
    }
    #expect(count(.absent) == 0)
    #expect(count(.daily) > 2 * count(.weekends))
    #expect(count(.daily) > 2 * count(.occasional))
    #expect(count(.lapsed) > 0 && count(.newcomer) > 0)
  }
}
