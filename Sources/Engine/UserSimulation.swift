package import CivilTime
import Evidence
import Ledger
package import RewardRules

/// The result of other rules for one user's closed days, next to the result of the rules in force. Pure.
///
/// Both evaluate the same evidence, in order, from the first day of the history on; only the rules differ. As in a
/// backfill under the same rules, grants held back by a limit stay held back, and standing grants pass the limits.
package struct UserSimulation: Sendable {
  /// The sum of some grants.
  package struct Sums: Sendable, Equatable {
    /// The number of grants.
    package internal(set) var grants = 0
    /// The amount of each unit.
    package internal(set) var amounts = Amounts()

    /// Creates zero sums.
    package init() {}

    mutating func add(_ reward: Reward) {
      grants += 1
      amounts += reward.amounts
    }

    /// Adds other sums.
    package mutating func add(_ other: Sums) {
      grants += other.grants
      amounts += other.amounts
    }
  }

  /// The result of some rules for the days and all that follow.
  package struct Result: Sendable {
    /// The grants by mission, `login` or `level`.
    package internal(set) var missions: [String: Sums] = [:]
    /// The number of grants held back by a limit.
    package internal(set) var heldBack = 0
    /// The level after the last day.
    package internal(set) var level: Int32 = 1
    /// The items owned after the last day.
    package internal(set) var items: Set<String> = []
    /// The sum over all missions.
    package var sums: Sums {
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
  package let user: String
  /// The number of the user's closed days evaluated by the other rules.
  package let days: Int
  /// The result of the rules in force.
  package let was: Result
  /// The result of the other rules.
  package let would: Result
  /// What open days would lose under the other rules, with the closed days as they stand; nil for nothing.
  package let openDayLoss: OpenDayLoss?

  /// Evaluates `timeline`, which needs a history, twice: as it is, and with `rules` on `days`. Also evaluates the
  /// open days on which `rules` would be in force according to `book`.
  package init(
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
  /// Returns the timeline with `rules` applied on `days`.
  fileprivate func trying(_ rules: RulesDocument, on days: ClosedRange<Day>) -> Timeline {
    var other = self
    other.tried = (rules, days)
    return other
  }
}
