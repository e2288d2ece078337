import Sandbox
import Scheduling

/// Compares the planner with polling at a fixed interval, over a month of lives with habits: the cost, and how late grants come.
struct PlannerBenchmark: Benchmark {
  let name = "planner"
  let summary = "a month of lives with habits, by the planner and on a fixed interval"

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let users = effort.pick(quick: 100, full: 1_000)
    let policy = PollPolicy(
      everySeconds: 900, lastCallSeconds: 60, firstCallSeconds: 30, lagSeconds: 10,
      usersPerSecond: 50)
    let months: [(name: String, month: PollingMonth)] = [
      ("a month of lives with habits", month(users, changeDay: nil)),
      ("a month in which all habits change", month(users, changeDay: 15)),
      (
        "a month in which the API is out for 45 minutes every five days",
        month(users, changeDay: nil, hasOutages: true)
      ),
    ]
    return months.map { name, month in
      let planned = month.play(LookPlanner(policy, plan: .habits))
      let fixed = month.play(LookPlanner(policy, plan: .interval))
      note("\(name), planned: \(Self.text(planned)); fixed: \(Self.text(fixed))")
      let isReached =
        planned.perUserDay * 3 <= fixed.perUserDay && planned.unknown <= fixed.unknown
        && planned.delay(atShare: 0.5) <= fixed.delay(atShare: 0.5)
        && planned.delay(atShare: 0.95) <= fixed.delay(atShare: 0.95)
      return ResultRow(
        work: "\(name): requests per user-day, delay of grants",
        measured: Self.text(planned), peer: "every 15 minutes: \(Self.text(fixed))",
        ratio: Figure.ratio(planned.perUserDay / fixed.perUserDay),
        asked: "a third of the requests, no later, no more unknown",
        isReached: effort.isQuick ? nil : isReached)
    }
  }

  private func month(_ users: Int, changeDay: Int?, hasOutages: Bool = false) -> PollingMonth {
    PollingMonth(seed: 11, users: users, changeDay: changeDay, hasOutages: hasOutages)
  }

  private static func text(_ outcome: PollingMonth.Outcome) -> String {
    let (median, late) = (outcome.delay(atShare: 0.5), outcome.delay(atShare: 0.95))
    let sleepers = Double(outcome.requestsForSleepers) / Double(max(outcome.sleeperDays, 1))
    let unknown = 100 * Double(outcome.unknown) / Double(max(outcome.kindDays, 1))
    return
      "\(Figure.count(outcome.perUserDay)) (\(Figure.count(sleepers)) for who never comes), median "
      + "\(Figure.time(median)), p95 \(Figure.time(late)), unknown \(Figure.ratio(unknown)) %"
  }
}

extension PollingMonth.Outcome {
  fileprivate var perUserDay: Double { Double(requests) / Double(max(userDays, 1)) }
}
