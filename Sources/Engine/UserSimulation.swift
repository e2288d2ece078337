public import CivilTime
import Evidence
import Ledger
public import RewardRules

/// What other rules would have made of one user's closed days, beside what the rules in force make of them. Pure.
///
/// Both are evaluated from the same evidence, in order, from the first day of the history on; only the rules differ. What a
/// limit has held back stays held back, and what stands passes the limits, as in a backfill by the same rules.
public struct UserSimulation: Sendable {
  /// What some grants come to.
  public struct Sums: Sendable, Equatable {
    /// How many there are.
    public internal(set) var grants = 0
    /// How much of each unit.
    public internal(set) var amounts = Amounts()

    /// Nothing.
    public init() {}

    mutating func add(_ reward: Reward) {
      grants += 1
      amounts += reward.amounts
    }

    /// Adds other sums.
    public mutating func add(_ other: Sums) {
      grants += other.grants
      amounts += other.amounts
    }
  }

  /// What some rules make of the days and of all that follow.
  public struct Result: Sendable {
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

    fileprivate init(_ evaluation: Evaluation, from first: Day) {
      for day in evaluation.days where day.day >= first {
        heldBack += day.outcome.heldBack.count
        for intent in day.outcome.grants {
          missions[intent.key.mission, default: Sums()].add(intent.reward)
        }
      }
      level = evaluation.state.level
      items = evaluation.state.owned
    }
  }

  /// The user's id.
  public let user: String
  /// Closed days of the user among those that were evaluated by other rules.
  public let days: Int
  /// By the rules in force.
  public let was: Result
  /// By the other rules.
  public let would: Result
  /// What days that are not closed would lose by the other rules, on the closed days as they stand; nil for nothing.
  public let openDayLoss: OpenDayLoss?

  /// Evaluates `timeline`, which needs a history, twice: as it is, and on `days` by `rules`; and the open days on which `rules`
  /// would be in force by `book`.
  public init(
    _ timeline: Timeline, trying rules: RulesDocument, on days: ClosedRange<Day>,
    openDaysBy book: RuleBook? = nil
  ) {
    user = timeline.account.id
    self.days = timeline.history?.days.count { days.contains($0.day) } ?? 0
    was = Result(timeline.evaluate(.closed), from: days.lowerBound)
    let open = timeline.openWindows.map(\.day).filter {
      book?.rules(on: $0)?.version == rules.version
    }
    if let first = open.first, let last = open.last {
      openDayLoss = OpenDayLoss(timeline, judgedAs: timeline.trying(rules, on: first...last))
    } else {
      openDayLoss = nil
    }
    guard self.days > 0 else {
      would = was
      return
    }
    would = Result(timeline.trying(rules, on: days).evaluate(.closed), from: days.lowerBound)
  }
}

extension Timeline {
  /// Returns the same, judged on `days` by `rules`.
  fileprivate func trying(_ rules: RulesDocument, on days: ClosedRange<Day>) -> Timeline {
    var other = self
    other.tried = (rules, days)
    return other
  }
}
