import CivilTime
import Evidence
import Foundations
import Sandbox
import Scheduling
import TestSupport
import Testing

/// When the planner polls whom.
@Suite(.offThePool) struct LookPlannerTests {
  private static let policy = PollPolicy(
    everySeconds: 900, lastCallSeconds: 60, firstCallSeconds: 30, lagSeconds: 10,
    usersPerSecond: 50)
  private static let planner = LookPlanner(policy, plan: .habits)
  private static let polled = KindSet(seenAt: Source.routes)
  private static let day = DayWindow(
    day: Day(number: 20_777), start: Instant(seconds: 20_777 * 86_400),
    end: Instant(seconds: 20_778 * 86_400))

  /// The habits of somebody who has used some kinds each day at an hour, for a month, up to some days before ``day``.
  private static func habits(_ kinds: KindSet, hour: Int64) -> UserHabits {
    let start = day.start.adding(seconds: -34 * 86_400)
    var habits = UserHabits(since: start)
    for number in Int64(0)..<30 {
      for kind in kinds.kinds {
        habits.learn(kind, at: start.adding(seconds: number * 86_400 + hour * 3_600 + 900))
      }
    }
    return habits
  }

  private static func needs(_ unmet: KindSet = polled) -> LookNeeds {
    var needs = LookNeeds(day, spread: 0.4, peers: 1)
    needs.unmet = unmet
    needs.seenThrough = [day.start, day.start, day.start]
    return needs
  }

  /// The polls of a day on which nothing is found, and the kinds of each.
  private static func looks(
    _ needs: LookNeeds, _ habits: UserHabits, planner: LookPlanner = planner
  ) -> [(at: Instant, kinds: KindSet)] {
    var needs = needs
    var looks: [(at: Instant, kinds: KindSet)] = []
    var now = day.start.adding(seconds: 60)
    while true {
      now = planner.next(after: now, for: needs, habits).due
      guard now < day.end else { return looks }
      let kinds = planner.kinds(at: now, for: needs, habits)
      looks.append((now, kinds))
      for (place, route) in Source.routes.enumerated() {
        if let kind = route.polledKind, kinds.contains(kind) {
          needs.seenThrough[place] = now.adding(seconds: -10)
        }
      }
    }
  }

  @Test func whoeverNeverComesCostsTheTwoCalls() {
    let looks = Self.looks(Self.needs(), Self.habits([], hour: 0))
    #expect(looks.map(\.kinds) == [Self.polled])
    #expect(looks.allSatisfy { $0.at >= Self.day.end.adding(seconds: -60) })
    let next = Self.planner.next(
      after: Self.day.end.adding(seconds: -1), for: Self.needs(), Self.habits([], hour: 0)
    ).due
    #expect(next > Self.day.end.adding(seconds: 10) && next <= Self.day.end.adding(seconds: 41))
  }

  @Test func whatIsMetIsNotAskedAgain() {
    let habits = Self.habits(Self.polled, hour: 20)
    let looks = Self.looks(Self.needs(KindSet(.gift)), habits)
    #expect(looks.allSatisfy { $0.kinds == KindSet(.gift) })
    #expect(Self.looks(Self.needs([]), habits).isEmpty)
  }

  @Test func hoursOfAHabitAreAskedOnTheIntervalOthersSeldom() {
    let habits = Self.habits(KindSet(.watch), hour: 20)
    let looks = Self.looks(Self.needs(), habits)
    let inHours = looks.filter { (19..<22).contains(($0.at.seconds % 86_400) / 3_600) }
    #expect(inHours.count >= 12)
    #expect(
      looks.dropLast().allSatisfy { !$0.kinds.contains(.gift) && !$0.kinds.contains(.stream) })
    let early = looks.filter { ($0.at.seconds % 86_400) / 3_600 < 17 }
    #expect(early.count <= 5, "\(early.map(\.at))")
    // The gap between two polls while the user may be there is the interval at most.
    for (one, next) in zip(inHours, inHours.dropFirst()) {
      #expect(next.at.seconds - one.at.seconds <= 900)
    }
  }

  @Test func whoeverIsThereIsAskedForWhatElseTheyUse() {
    let habits = Self.habits(KindSet(.watch).union(KindSet(.gift)), hour: 20)
    var needs = Self.needs(KindSet(.gift))
    let now = Self.day.start.adding(seconds: 9 * 3_600)
    needs.seenThrough[2] = now
    let alone = Self.planner.next(after: now, for: needs, habits).due
    needs.presentAt = now
    let beside = Self.planner.next(after: now, for: needs, habits).due
    #expect(beside <= now.adding(seconds: 450))
    #expect(alone > beside)
  }

  @Test func aFailedLookIsMadeUpForSoon() {
    var needs = Self.needs()
    needs.owed = KindSet(.watch)
    let now = Self.day.start.adding(seconds: 9 * 3_600)
    let habits = Self.habits([], hour: 0)
    let patient = Self.planner.next(after: now, for: needs, habits).due
    #expect(patient <= now.adding(seconds: 900))
    needs.mayComeSoon = true
    let next = Self.planner.next(after: now, for: needs, habits).due
    #expect(next <= now.adding(seconds: 300) && next <= patient)
    #expect(
      Self.planner.kinds(at: next, for: needs, Self.habits([], hour: 0)) == KindSet(.watch))
  }

  /// Whoever the API does not know is not asked more often for it than on the interval.
  @Test(arguments: [(FailureCause.timedOut, true), (.userUnknown, false), (.throttled, false)])
  func whatFailsForGoodIsNotHurried(cause: FailureCause, isHurried: Bool) throws {
    var looks = LookHistories()
    looks[.lastGift].failures = [.init(at: Self.day.start.adding(seconds: 60), cause: cause)]
    let day = LookNeeds.OpenDay(window: Self.day, lacking: Self.polled)
    let needs = try #require(
      LookNeeds([day], spread: 0, peers: 1, activities: [], looks: looks))
    #expect(needs.owed == KindSet(.gift))
    #expect(needs.mayComeSoon == isHurried)
  }

  @Test func unseenEndsOfDaysAreOwed() throws {
    let next = DayWindow(
      day: Self.day.day.adding(days: 1), start: Self.day.end,
      end: Self.day.end.adding(seconds: 86_400))
    var looks = LookHistories()
    looks[.watchedStreams].coverage.cover(from: Self.day.start, to: next.start.adding(seconds: 1))
    let days = [
      LookNeeds.OpenDay(window: Self.day, lacking: Self.polled.subtracting(KindSet(.gift))),
      LookNeeds.OpenDay(window: next, lacking: Self.polled),
    ]
    let needs = try #require(
      LookNeeds(days, spread: 0.4, peers: 1, activities: [], looks: looks))
    // The gift is met, the watched streams were seen to the end; only the last stream was not.
    #expect(needs.owed == KindSet(.stream))
    #expect(needs.unmet == Self.polled)
  }

  /// Polls go on whatever was learnt: each day has its two calls, and no time between two polls is longer than a day.
  @Test(arguments: Seeds.some(20, of: 0..<60)) func nobodyIsForgotten(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed), 77)
    var habits = UserHabits(since: Self.day.start.adding(seconds: -40 * 86_400))
    for _ in 0..<random.number(in: 0...80) {
      habits.learn(
        random.pick(ActivityKind.allCases),
        at: Self.day.start.adding(seconds: -random.number(in: 0...(40 * 86_400))))
    }
    var needs = Self.needs()
    needs.spread = random.fraction()
    needs.peers = Int(random.number(in: 1...200_000))
    needs.isWarned = random.chance(0.5)
    var policy = Self.policy
    policy.everySeconds = random.pick([60, 900, 3_600])
    policy.warningSeconds = random.chance(0.5) ? 7_200 : nil
    let planner = LookPlanner(policy, plan: random.chance(0.8) ? .habits : .interval)
    let looks = Self.looks(needs, habits, planner: planner)
    let lead = policy.lastCallLead(users: needs.peers)
    #expect(looks.last?.kinds == Self.polled)
    #expect(looks.contains { $0.at >= Self.day.end.adding(seconds: -lead) })
    #expect(looks.allSatisfy { planner.plan == .interval || !$0.kinds.isEmpty }, "seed \(seed)")
    if let warning = policy.warningSeconds, needs.isWarned {
      #expect(looks.contains { $0.at >= Self.day.end.adding(seconds: -warning) })
    }
  }

  /// Lives of any kind, and an API that answers: a plan leaves no more days unknown than the interval does.
  @Test(arguments: Seeds.some(3, of: 0..<8)) func neverMoreIsUnknownThanByTheInterval(seed: Int) {
    let month = PollingMonth(
      seed: UInt64(seed), users: 40, days: 12, changeDay: seed % 2 == 0 ? 6 : nil,
      hasOutages: false)
    let planned = month.play(Self.planner)
    let fixed = month.play(LookPlanner(Self.policy, plan: .interval))
    #expect(planned.unknown <= fixed.unknown, "seed \(seed)")
    #expect(planned.kindDays == fixed.kindDays)
    #expect(planned.requests * 2 < fixed.requests, "seed \(seed)")
    // The same plan twice is the same.
    #expect(month.play(Self.planner).delays == planned.delays)
  }

  @Test func habitsThatChangeAreLearntAnew() {
    var habits = Self.habits(KindSet(.watch), hour: 20)
    func looksInTheMorning() -> Int {
      Self.looks(Self.needs(), habits).count { (7..<10).contains(($0.at.seconds % 86_400) / 3_600) }
    }
    let before = looksInTheMorning()
    for number in Int64(-3)..<0 {
      habits.learn(.watch, at: Self.day.start.adding(seconds: number * 86_400 + 8 * 3_600))
    }
    // The last three days of thirty were other ones.
    #expect(before <= 2)
    #expect(looksInTheMorning() >= 12)
  }

  /// A stream that must last may be hidden by a shorter one after it: a streamer is asked all day long.
  @Test func whatMustLastIsAskedAllDayOfWhoeverDoesIt() {
    var needs = Self.needs(KindSet(.stream))
    needs.lasting = KindSet(.stream)
    #expect(Self.looks(needs, Self.habits(KindSet(.stream), hour: 20)).count >= 90)
    #expect(Self.looks(needs, Self.habits([], hour: 0)).count == 1)
  }

  @Test func habitsOutliveTheirBytes() {
    let habits = Self.habits(Self.polled, hour: 7)
    var bytes: [UInt8] = []
    habits.appendBytes(to: &bytes)
    #expect(bytes.count == UserHabits.byteCount)
    #expect(UserHabits(bytes: bytes[...]) == habits)
  }
}
