import CivilTime
import Configuration
import Evidence
import Foundations
import Ledger
import LedgerStore
import RewardRules
import Scheduling

/// Compares the configured request rate with the rate that the users' habits require.
struct RateCheckup {
  private let configuration: Configuration
  private let now: Instant

  init(_ configuration: Configuration, now: Instant) {
    self.configuration = configuration
    self.now = now
  }

  /// Reports how many users the rate supports, and how long after an activity its grant can be expected.
  func finding(_ directory: DataDirectory, _ state: LedgerState) async -> DoctorFinding {
    let users = state.accounts.indices.filter { state.accounts[$0].isPresent }
    let planner = LookPlanner(configuration)
    let habits: [UserHabits]
    do {
      habits = try await BlockingThread(named: "rewards.habits").run {
        try HabitFile(directory).read(ledger: state.ledger)
      }
    } catch {
      return DoctorFinding(
        "rate", .attention, "the users' habits cannot be read: \(error)",
        remedy: "make \(directory.habits) readable; until then polls are scheduled without them")
    }
    let hours = requests(of: users, state, planner, habits)
    let asked = hours.reduce(0, +)
    let peak = hours.max() ?? 0
    let perHour = configuration.requestsPerSecond * 3_600
    // A tenth of the rate is reserved for retries.
    let load = peak / (perHour * 0.9)
    let minutes = Double(configuration.poll.everyMinutes)
    let carried =
      users.isEmpty ? planner.policy.capacity : Int(Double(users.count) / max(load, 1e-9))
    let perDay = asked / Double(max(users.count, 1))
    let median = Self.digits(minutes / 2 * max(1, load))
    let most = Self.digits(minutes * max(1, load))
    let what =
      "\(users.count) users, each with \(Self.digits(perDay)) requests a day; the rate is enough for "
      + "about \(carried) of them; half of all grants come within \(median) minutes, "
      + "most within \(most)"
    guard load > 1 else { return DoctorFinding("rate", .well, what) }
    return DoctorFinding(
      "rate", .attention, what,
      remedy:
        "raise api.requestsPerSecond: in the busiest hour \(Self.digits(load)) times as many polls are due as it allows, so grants come late, and days that the polls around midnight do not reach stay unknown"
    )
  }

  /// Returns the expected requests for each hour of the day, in UTC.
  private func requests(
    of users: [Int], _ state: LedgerState, _ planner: LookPlanner, _ habits: [UserHabits]
  ) -> [Double] {
    var hours = Array(repeating: 0.0, count: 24)
    let needed = state.rules.current?.rules(on: Day(number: Int32(now.seconds / 86_400)))?
      .neededKinds
    let polled = KindSet(seenAt: Source.routes).intersection(needed ?? .all)
    for user in users {
      let account = state.accounts[user]
      // An approximate current day; the sum over all hours is the same.
      let start = max(account.boundary, now.adding(seconds: -86_400))
      var needs = LookNeeds(
        DayWindow(day: account.boundaryDay, start: start, end: start.adding(seconds: 86_400)),
        spread: 0, peers: 1)
      needs.unmet = polled
      let known = habits.indices.contains(user) ? habits[user] : UserHabits(since: now)
      for (hour, count) in planner.expectedRequests(for: needs, known).enumerated() {
        hours[hour] += count
      }
    }
    return hours
  }

  private static func digits(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return number >= 10 || tenths % 10 == 0
      ? "\(Int(number.rounded()))" : "\(tenths / 10).\(tenths % 10)"
  }
}
