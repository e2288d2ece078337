import CivilTime
import Evidence
import RewardRules
import StrictJSON

/// Days, documents and accounts for tests.
enum Fixture {
  static let day = Day(number: 20_000)
  static let user = "user-1"
  static let secret = DrawSecret(Array("a secret for tests".utf8))

  static func start(of day: Day = day) -> Instant {
    Instant(seconds: Int64(day.number) * 86_400)
  }

  static func at(_ second: Int64, of day: Day = day) -> Instant {
    start(of: day).adding(seconds: second)
  }

  static func window(_ day: Day = day, isShortened: Bool = false) -> UserWindow {
    let start = start(of: day)
    let window = DayWindow(day: day, start: start, end: start.adding(seconds: 86_400))
    return UserWindow(window: window, zone: "UTC", isShortened: isShortened)
  }

  /// A closing day on which each kind is met at a second of the day, its evidence numbered by that second.
  static func facts(
    _ met: KeyValuePairs<ActivityKind, Int64> = [:], on day: Day = day, credits: [Credit] = []
  ) -> DayFacts {
    var facts = DayFacts(window: window(day))
    facts.isClosing = true
    facts.credits = credits
    for (kind, second) in met {
      facts[kind] = EarliestEvidence(effective: at(second, of: day), seq: UInt64(second))
    }
    return facts
  }

  /// The built-in rules with pieces of their text replaced.
  static func rules(_ replacements: KeyValuePairs<String, String> = [:]) throws -> RulesDocument {
    var text = RulesDocument.builtInText
    for (old, new) in replacements {
      guard text.contains(old) else { throw NoSuchText(text: old) }
      text = text.replacing(old, with: new)
    }
    return try RulesDocument.parse(Array(text.utf8)).get()
  }

  struct NoSuchText: Error {
    let text: String
  }

  /// One day of the fixture's user.
  static func evaluate(
    _ facts: DayFacts, _ account: inout AccountState, rules: RulesDocument = .builtIn,
    standing: RecordedKeys = RecordedKeys()
  ) -> DayOutcome {
    var noTrace: [TraceStep]?
    return DayEvaluator(rules: rules).evaluate(
      facts, account: &account, standing: standing, user: user, draws: secret, trace: &noTrace)
  }
}

extension DayOutcome {
  /// The missions of the grants, in order.
  var missions: [String] {
    grants.map { intent in
      if case .level(let number) = intent.key { "level \(number)" } else { intent.key.mission }
    }
  }

  /// The grant of a mission, or of `login`.
  subscript(mission: String) -> GrantIntent? { grants.first { $0.key.mission == mission } }
}
