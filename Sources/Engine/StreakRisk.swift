public import CivilTime
import Evidence
import Ledger
public import RewardRules

/// A streak that breaks when the running day ends, should nothing more happen on it.
public struct StreakRisk: Sendable, Equatable {
  /// The running day.
  public let window: UserWindow
  /// The streak as it stands before that day.
  public let streak: StreakState
  /// Up to when looks and readings prove that nothing has counted on the day.
  public let knownThrough: Instant
}

extension Timeline {
  /// What the user loses if nothing more happens until the running day ends; nil when nothing: something has counted, there is
  /// no streak, or the day is excused or too short to be missed. Earlier days that are not closed count as if they were
  /// closed now.
  public func streakRisk() -> StreakRisk? {
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
