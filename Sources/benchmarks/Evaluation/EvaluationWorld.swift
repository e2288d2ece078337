import CivilTime
import Evidence
import Foundations
import RewardRules
import Sandbox

/// The activities of many users on many days, prepared before the measurement.
struct EvaluationWorld {
  private static let draws = DrawSecret(Array("draws of the benchmarks".utf8))
  private static let firstDay = Day(number: 20_700)
  private static let activeShare = 0.3

  private let days: [[ActiveDay]]
  private let ids: [String]

  init(users: Int, days count: Int) {
    var random = SplitMix64(seed: 30)
    ids = (0..<users).map { "u\(100_000 + $0)" }
    days = ids.map { _ in
      (0..<count).map { ActiveDay(Self.firstDay.adding(days: Int32($0)), &random) }
    }
  }

  var userDays: Int { days.reduce(0) { $0 + $1.count } }

  /// Evaluates every user's days in order, starting with an empty account; returns the number of grants.
  ///
  /// Each day's facts are made on the way, as the engine makes them: preparing them in memory would measure how fast they are
  /// copied.
  func evaluate(by evaluator: DayEvaluator) -> Int {
    let standing = RecordedKeys()
    var grants = 0
    var noTrace: [TraceStep]?
    for (user, days) in zip(ids, days) {
      var account = AccountState()
      for day in days {
        let facts = day.facts
        grants +=
          evaluator.evaluate(
            facts, account: &account, standing: standing, user: user, draws: Self.draws,
            trace: &noTrace
          ).grants.count
      }
    }
    return grants
  }

  /// A user's activities on one day, mostly none.
  private struct ActiveDay {
    let window: DayWindow
    let touches: [(kind: ActivityKind, evidence: EarliestEvidence)]

    init(_ day: Day, _ random: inout SplitMix64) {
      let start = Instant(seconds: Int64(day.number) * 86_400)
      window = DayWindow(day: day, start: start, end: start.adding(seconds: 86_400))
      let count = random.chance(activeShare) ? random.number(in: 1...3) : 0
      touches = (0..<count).map { _ in
        let kind = random.pick(ActivityKind.allCases)
        let effective = start.adding(seconds: random.number(in: 0...86_399))
        return (kind, EarliestEvidence(effective: effective, seq: random.next() >> 40))
      }
    }

    var facts: DayFacts {
      var facts = DayFacts(window: UserWindow(window: window, zone: "UTC", isShortened: false))
      facts.isClosing = true
      for touch in touches { facts[touch.kind] = touch.evidence }
      return facts
    }
  }
}
