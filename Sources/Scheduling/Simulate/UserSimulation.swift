public import CivilTime
import Evidence
public import Ledger
public import RewardRules

/// What other rules would have made of one user's closed days, beside what the rules in force make of them. Pure.
///
/// Both are judged from the same evidence, in order, from the first day on; only the rules differ. What a limit has held
/// back stays held back, and what stands passes the limits, as in a backfill by the same rules.
public struct UserSimulation: Sendable {
  /// What some grants come to.
  public struct Sums: Sendable, Equatable {
    /// How many there are.
    public internal(set) var grants = 0
    /// Shop points.
    public internal(set) var points: Int64 = 0
    /// Exp.
    public internal(set) var exp: Int64 = 0
    /// Cheer coins.
    public internal(set) var coins: Int64 = 0

    /// Nothing.
    public init() {}
  }

  /// One way to judge.
  public struct Telling: Sendable {
    /// The grants by mission, `login` or `level`.
    public internal(set) var missions: [String: Sums] = [:]
    /// Grants that a limit holds back.
    public internal(set) var heldBack = 0
    /// The level behind the last day.
    public internal(set) var level: Int32 = 1
    /// The items behind the last day.
    public internal(set) var items: Set<String> = []

    /// All missions together.
    public var sums: Sums {
      missions.values.reduce(into: Sums()) { $0.add($1) }
    }
  }

  /// The user's id.
  public let user: String
  /// Closed days of the user among those that were judged by other rules.
  public let days: Int
  /// By the rules in force.
  public let was: Telling
  /// By the other rules.
  public let would: Telling

  /// Judges `past` twice: by `context`, and on `days` by `rules`.
  public init(
    _ past: UserPast, context: JudgeContext, trying rules: RulesDocument, on days: ClosedRange<Day>
  ) {
    user = past.account.id
    self.days = past.days.count { days.contains($0.day) }
    was = Self.tell(past, context)
    guard self.days > 0 else {
      would = was
      return
    }
    var other = context
    other.rules = context.rules.trying(rules, on: days)
    would = Self.tell(past, other)
  }

  private static func tell(_ past: UserPast, _ context: JudgeContext) -> Telling {
    let judge = PastJudge(past: past, context: context, range: BackfillTerms.noDay)
    var noTrace: [TraceStep] = []
    let (judged, state) = judge.judge(into: &noTrace)
    var telling = Telling()
    for day in judged {
      telling.heldBack += day.outcome.heldBack.count
      for intent in day.outcome.grants {
        telling.missions[intent.key.mission, default: Sums()].add(intent.reward)
      }
    }
    telling.level = state.level
    telling.items = state.owned
    return telling
  }
}

extension UserSimulation.Sums {
  mutating func add(_ reward: Reward) {
    grants += 1
    points += reward.points
    exp += reward.exp
    coins += reward.coins
  }

  /// Adds other sums.
  public mutating func add(_ other: UserSimulation.Sums) {
    grants += other.grants
    points += other.points
    exp += other.exp
    coins += other.coins
  }
}
