internal import CivilTime
internal import Evidence
package import Scheduling

/// A month of lives with habits, polled according to a plan, to measure requests, delays of grants and unknown days.
package struct PollingMonth: Sendable {
  /// The result of a plan.
  package struct Outcome: Sendable {
    /// The number of user-days.
    package var userDays = 0
    /// The number of requests to the API.
    package var requests = 0
    /// The number of requests for users who never came.
    package var requestsForSleepers = 0
    /// The number of user-days of users who never came.
    package var sleeperDays = 0
    /// How long after the activity each grant could be made, in seconds, shortest first.
    package var delays: [Double] = []
    /// How many kinds on user-days remained unknown.
    package var unknown = 0
    /// How many kinds on user-days there were.
    package var kindDays = 0

    /// Returns the delay that this share of the grants does not exceed, in seconds.
    package func delay(atShare share: Double) -> Double {
      delays.isEmpty ? 0 : delays[min(delays.count - 1, Int(share * Double(delays.count)))]
    }
  }

  private let lives: HabitualLives
  private let users: Int
  /// The times at which the API answers no requests.
  private let outages: [Range<Instant>]

  /// Creates a month of `users`; their habits change on `changeDay`, if any, and the API occasionally has an outage.
  package init(seed: UInt64, users: Int, days: Int = 30, changeDay: Int?, hasOutages: Bool) {
    let firstDay: Int64 = 20_777
    lives = HabitualLives(seed: seed, firstDay: firstDay, days: days, changeDay: changeDay)
    self.users = users
    outages =
      !hasOutages
      ? []
      : stride(from: 3, to: Int64(days), by: 5).map { day in
        // Each at another hour, some of them across a user's midnight.
        let begin = Instant(seconds: (firstDay + day) * 86_400 + (day * 17 % 24) * 3_600 - 1_200)
        return begin..<begin.adding(seconds: 2_700)
      }
  }

  /// Simulates the month with a planner.
  package func play(_ planner: LookPlanner) -> Outcome {
    var outcome = Outcome()
    for user in 0..<users { play(user, planner, &outcome) }
    outcome.delays.sort()
    return outcome
  }

  private func play(_ user: Int, _ planner: LookPlanner, _ outcome: inout Outcome) {
    let offset = Int64([9, 0, -5, -8][user % 4]) * 3_600
    let spread = PollPolicy.spread(of: "u\(user)")
    let truth = lives.activities(of: user, offset: offset)
    let start = Instant(seconds: lives.firstDay * 86_400 - offset)
    var life = PolledLife(
      truth: truth, start: start, habits: UserHabits(since: start),
      lagSeconds: planner.policy.lagSeconds)
    let end = start.adding(seconds: Int64(lives.days) * 86_400 + 1_900)
    var now = start
    var requests = 0
    while now < end {
      life.judge(before: now)
      guard let needs = life.needs(at: now, spread: spread) else { break }
      for kind in planner.kinds(at: now, for: needs, life.habits).kinds {
        requests += 1
        life.look(at: kind.source, now: now, fails: outages.contains { $0.contains(now) })
      }
      guard let after = life.needs(at: now, spread: spread) else { break }
      now = planner.next(after: now, for: after, life.habits).due
    }
    life.judge(before: end)
    outcome.userDays += lives.days
    outcome.requests += requests
    if truth.isEmpty {
      outcome.requestsForSleepers += requests
      outcome.sleeperDays += lives.days
    }
    outcome.kindDays += life.judged
    outcome.unknown += life.unknown
    outcome.delays += life.delays
  }
}

/// One user's life as observed by polls, and judged half an hour after each day.
private struct PolledLife {
  let truth: [Source: [Activity]]
  let lagSeconds: Int64
  var habits: UserHabits
  private var windows: [DayWindow]
  private var seen: [Activity] = []
  private var looks = LookHistories()
  private var granted: Set<Int64> = []
  private let start: Instant
  private(set) var judged = 0
  private(set) var unknown = 0
  private(set) var delays: [Double] = []

  init(truth: [Source: [Activity]], start: Instant, habits: UserHabits, lagSeconds: Int64) {
    self.truth = truth
    self.start = start
    self.habits = habits
    self.lagSeconds = lagSeconds
    windows = [Self.window(from: start, number: 0)]
  }

  private static func window(from start: Instant, number: Int64) -> DayWindow {
    DayWindow(
      day: Day(number: Int32(number)), start: start.adding(seconds: number * 86_400),
      end: start.adding(seconds: (number + 1) * 86_400))
  }

  func needs(at now: Instant, spread: Double) -> LookNeeds? {
    let days = windows.map { window in
      let met = Source.routes.filter { granted.contains(Self.mark(window, $0)) }
      return LookNeeds.OpenDay(
        window: window,
        lacking: KindSet(seenAt: Source.routes).subtracting(KindSet(seenAt: met)))
    }
    return LookNeeds(days, spread: spread, peers: 1, activities: seen, looks: looks)
  }

  /// Begins the days that have begun by `now`, and judges those that ended at least half an hour earlier.
  mutating func judge(before now: Instant) {
    while let last = windows.last, last.end <= now {
      windows.append(Self.window(from: start, number: Int64(last.day.number) + 1))
    }
    while let first = windows.first, first.end.adding(seconds: 1_800) <= now {
      for route in Source.routes {
        judged += 1
        let isMet = granted.contains(Self.mark(first, route))
        if !isMet, !looks[route].coverage.covers(from: first.start, to: first.end) { unknown += 1 }
        looks[route].forget(before: first.end)
      }
      windows.removeFirst()
      seen.removeAll { $0.to < first.start }
    }
  }

  mutating func look(at route: Source, now: Instant, fails: Bool) {
    guard let kind = route.polledKind, let first = windows.first else { return }
    let begun = (truth[route] ?? []).filter { $0.from <= now }
    let told = (route.extent == .all ? begun : begun.suffix(1)).map { activity in
      activity.to <= now
        ? activity
        : Activity(kind: activity.kind, from: activity.from, to: activity.from, isOpen: true)
    }
    let observed = looks[route].observe(
      Look(
        route: route, at: now, outcome: fails ? .failed(.timedOut) : .answered(told, refused: [])),
      by: ObservingTerms(
        policy: ActivityPolicy(), lagSeconds: lagSeconds, remembersFrom: first.start,
        boundary: first.start))
    for activity in observed.seen {
      var isNews = false
      for window in windows {
        guard let effective = activity.effective(in: window, counting: .overlaps),
          granted.insert(Self.mark(window, route)).inserted
        else { continue }
        isNews = true
        let deed = begun.compactMap { $0.effective(in: window, counting: .overlaps) }.min()
        delays.append(max(0, now.timeInterval(since: deed ?? effective)))
        habits.learn(kind, at: effective)
      }
      if isNews { seen.append(activity) }
    }
  }

  private static func mark(_ window: DayWindow, _ route: Source) -> Int64 {
    Int64(window.day.number) << 8 | Int64(route.rawValue)
  }
}

extension Instant {
  fileprivate func timeInterval(since other: Instant) -> Double { Double(seconds - other.seconds) }
}
