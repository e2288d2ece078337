import CivilTime
import Described
import Ledger
import RewardRules
package import StrictJSON

/// The members of `data` in events made from records.
package enum EventData {
  /// A grant, what its rules call its mission, and its key before it.
  typealias Granted = (grant: GrantRecord, title: LocalizedText?, before: KeyBalance)
  /// A reversal or its undoing, and its key before and after it.
  typealias Reversed = (reversal: ReversalRecord, before: KeyBalance, now: KeyBalance)
  /// A day of a streak.
  typealias StreakDay = (day: Day, before: StreakMark?, after: StreakMark)

  static let granted = JSONMembers<Granted> {
    $0.add("key", \.grant.key)
    $0.add("day", \.grant.day)
    $0.add("mission", \.grant.mission)
    $0.optional("title", \.title, "of the mission, by language")
    $0.add("effective", \.grant.effective)
    $0.include(\.grant.reward.amounts)
    $0.add("items", \.grant.reward.items)
    $0.optional("removedItems") { $0.grant.removedItems.isEmpty ? nil : $0.grant.removedItems }
    $0.optionalObject("booster", \.grant.reward.booster) {
      $0.add("from", \.from)
      $0.add("until", \.until)
    }
    $0.optional("adjusts", { $0.grant.isAdjustment ? $0.grant.baseKey : nil }, "of an adjustment")
    $0.optionalObject("before", { $0.grant.isAdjustment ? $0.before : nil }, of: list)
    $0.optionalObject(
      "now", { $0.grant.isAdjustment ? $0.before.after(.grant($0.grant)) : nil }, of: list)
    $0.add("cause", \.grant.cause)
  }

  static let reversed = JSONMembers<Reversed> {
    $0.add("key", \.reversal.key)
    $0.add("undone", \.reversal.undone)
    $0.include(\.reversal.reward.amounts)
    $0.add("items", \.reversal.reward.items)
    $0.optional("removedItems") {
      $0.reversal.removedItems.isEmpty ? nil : $0.reversal.removedItems
    }
    $0.object("before", \.before, of: list)
    $0.object("now", \.now, of: list)
    $0.add("reason", \.reversal.reason)
  }

  static let streak = JSONMembers<StreakDay> {
    $0.add("day", \.day)
    $0.optional("lengthBefore", \.before?.length)
    $0.add("length", \.after.length)
    $0.add("cycleDay", \.after.cycleDay)
  }

  static let atRisk = JSONMembers<MessageRecord> {
    $0.add("day", \.day)
    $0.add("length") { $0.streak?.length ?? 0 }
    $0.add("cycleDay") { $0.streak?.cycleDay ?? 0 }
    $0.add("end", \.end)
    $0.add("knownThrough", \.knownThrough)
  }

  static let backfilled = JSONMembers<MessageRecord> {
    $0.add("plan", \.plan)
    $0.include(\.amounts)
    $0.add("items", \.items)
    $0.add("removedItems", \.removedItems)
    $0.add("boosterUntil", \.boosterUntil)
  }

  static let level = JSONMembers<LevelRecord> {
    $0.add("level", \.level)
    $0.add("effective", \.effective)
  }

  static let run = JSONMembers<RunRecord> {
    $0.add("job", \.job)
    $0.add("zone", \.zone)
    $0.add("nominal", \.nominal)
    $0.add("outcome", \.outcome)
    $0.optional("reason", \.reason)
    $0.map("counts") { $0.counts.map { ($0.name, $0.value) } }
  }

  static let close = JSONMembers<CloseRecord> {
    $0.add("zone", \.zone)
    $0.add("day", \.window.day)
    $0.add("start", \.window.start)
    $0.add("end", \.window.end)
    $0.add("users", \.users)
    $0.add("points", \.points)
    $0.add("exp", \.exp)
    $0.optional("coins", \.coins, "left out where the close does not state them")
    $0.add("unknown", \.counts.unknown)
    $0.add("broken", \.counts.broken)
  }

  static let broadcast = JSONMembers<Broadcast> {
    $0.add("title", \.title)
    $0.add("body", \.body)
    $0.optional("locKey", \.locKey, "by which the app finds the body in the reader's language")
  }

  static let forgotten = JSONMembers<UserRecord> {
    $0.add("pseudonym", \.pseudonym, "the app knows the user by another id")
  }

  private static func list(_ holding: inout JSONMembers<KeyBalance>) {
    holding.include(\.amounts)
    holding.add("items", \.items)
  }

  /// The shapes of `data` by the events' types, without what all types begin and end with.
  package static let shapes: [(types: [EventType], data: JSONShape)] = [
    ([.rewardGranted], granted.shape),
    ([.rewardReversed], reversed.shape),
    ([.streakExtended, .streakBroken, .streakHeld, .streakRepaired], streak.shape),
    ([.streakAtRisk], atRisk.shape),
    ([.levelReached], level.shape),
    ([.backfillSummary], backfilled.shape),
    ([.dayClosed], close.shape),
    ([.broadcast], broadcast.shape),
    ([.userForgotten], forgotten.shape),
    ([.jobFailed, .jobMissed, .auditFound], run.shape),
  ]
}
