import CivilTime
import Evidence
import RewardRules
import Sandbox
import SeededRandom

/// Days of many users as facts, made before anything is measured.
struct EvaluationWorld {
  private static let draws = DrawSecret(Array("draws of the benchmarks".utf8))
  private static let firstDay = Day(number: 20_700)
  private static let activeShare = 0.3

  private let days: [[DayFacts]]
  private let ids: [String]

  init(users: Int, days count: Int) {
    var random = SplitMix64(seed: 30)
    ids = (0..<users).map { "u\(100_000 + $0)" }
    days = ids.map { _ in
      (0..<count).map { Self.facts(of: Self.firstDay.adding(days: Int32($0)), &random) }
    }
  }

  var userDays: Int { days.reduce(0) { $0 + $1.count } }

  /// Evaluates every user's days in order, from an empty account on; returns how many grants that gives.
  func evaluate(by evaluator: DayEvaluator) -> Int {
    let standing = Standing()
    var grants = 0
    for (user, days) in zip(ids, days) {
      var account = AccountState()
      days.withUnsafeBufferPointer { days in
        // By index: a copy of each day's facts would be the benchmark's own cost.
        for index in days.indices {
          grants +=
            evaluator.evaluate(
              days[index], account: &account, standing: standing, user: user, draws: Self.draws
            ).grants.count
        }
      }
    }
    return grants
  }

  private static func facts(of day: Day, _ random: inout SplitMix64) -> DayFacts {
    let start = Instant(seconds: Int64(day.number) * 86_400)
    let window = DayWindow(day: day, start: start, end: start.adding(seconds: 86_400))
    var facts = DayFacts(window: UserWindow(window: window, zone: "UTC", isShortened: false))
    facts.isClosing = true
    guard random.chance(activeShare) else { return facts }
    for _ in 0..<random.number(in: 1...3) {
      let kind = random.pick(ActivityKind.allCases)
      facts[kind] = EarliestEvidence(
        effective: start.adding(seconds: random.number(in: 0...86_399)),
        seq: random.next() >> 40)
    }
    return facts
  }
}
