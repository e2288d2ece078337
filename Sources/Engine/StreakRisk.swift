package import CivilTime
import Evidence
import Ledger
package import RewardRules

/// A streak that will break at the end of the running day if nothing more happens.
package struct StreakRisk: Sendable, Equatable {
  /// The running day.
  package let window: UserWindow
  /// The streak before that day.
  package let streak: StreakState
  /// Until when polls and readings prove that nothing has counted on the day.
  package let knownThrough: Instant
}

extension Timeline {
  /// Returns the streak at risk if nothing more happens on the running day; nil if something has counted, there is no
  /// streak, or the day is excused or too short to be missed. Earlier open days count as if closed now.
  package func streakRisk() -> StreakRisk? {
    guard account.stopped == nil, let running = openWindows.last else { return nil }
    let evaluation = evaluate(.open, closingThrough: running.end, silentFrom: running.start)
    guard let day = evaluation.days.last, day.window == running,
      day.outcome.streakClass == .missed, day.outcome.streakBefore.length > 0
    else { return nil }
    let listed = day.rules.streak.countsAs
    let unseen = day.facts.gaps.filter { listed.contains($0.kind) }.map(\.from)
    return StreakRisk(
      window: running, streak: day.outcome.streakBefore,
      knownThrough: unseen.min() ?? running.end)
  }
}
