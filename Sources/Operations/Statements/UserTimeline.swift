package import CivilTime
import Evidence
import Ledger
package import RewardRules

/// A user's days according to the ledger, one line each.
package struct UserTimeline: Sendable {
  /// One user-local day.
  package struct Entry: Sendable, Equatable {
    /// The day.
    package let day: Day
    /// The change of the streak: `counted`, `broken`, `held`, `excused`, `repaired` or, without a streak, `none`;
    /// `open` while the day is not closed; nil before the first judged day and after today.
    package internal(set) var streak: String?
    /// The length of the streak after the day; nil when the ledger does not say.
    package internal(set) var length: Int32?
    /// The points granted for each mission, including adjustments and reversals.
    package internal(set) var missions: [String: Int64] = [:]
    /// The amount of each unit that the day granted.
    package internal(set) var amounts = Amounts()
    /// Further remarks, in order.
    package internal(set) var notes: [String] = []
  }

  /// The user's id.
  package let user: String
  /// The zone in which the user lives now.
  package let zone: String
  /// The days in order; days without any records are empty.
  package let days: [Entry]

  /// The maximum number of days in one timeline.
  package static let daysAtMost = 1_000

  init(_ lines: UserLines, days: ClosedRange<Day>, today: Day) {
    var fold = TimelineFold(user: lines.account.id, days: days, zone: lines.zone)
    for record in lines.records { fold.consume(record) }
    fold.conclude(today: today)
    (user, zone, self.days) = (lines.account.id, lines.zone.name, fold.entries)
  }
}

/// Collects a user's records by day.
private struct TimelineFold {
  private let user: String
  private let days: ClosedRange<Day>
  private let zone: Zone
  private var byDay: [Day: UserTimeline.Entry] = [:]
  private var dayOfKey: [String: Day] = [:]
  /// The zones in which the user has lived.
  private var zones: Set<String> = []
  private var state = LedgerState()

  init(user: String, days: ClosedRange<Day>, zone: Zone) {
    self.user = user
    self.days = days
    self.zone = zone
  }

  var entries: [UserTimeline.Entry] {
    (days.lowerBound.number...days.upperBound.number).map { number in
      byDay[Day(number: number)] ?? UserTimeline.Entry(day: Day(number: number))
    }
  }

  /// Sets the streak of each remaining day: `none`, or `open` when it is not closed.
  mutating func conclude(today: Day) {
    guard let account = state.account(of: user) else { return }
    for number in days.lowerBound.number...days.upperBound.number {
      let day = Day(number: number)
      guard day >= account.firstDay, day <= max(account.boundaryDay, today) else { continue }
      let word = day <= account.boundaryDay ? "none" : account.isPresent ? "open" : nil
      add(day) { $0.streak = $0.streak ?? word }
    }
  }

  mutating func consume(_ record: Record) {
    state.apply(record)
    switch record.body {
    case .grant(let grant) where grant.user == user: consume(grant)
    case .reversal(let reversal) where reversal.user == user:
      let what = reversal.undone ? "given back" : "taken back"
      add(dayOfKey[reversal.key]) { entry in
        entry.amounts += reversal.reward.amounts
        entry.notes.append("\(reversal.key) \(what): \(reversal.reason) (\(reversal.actor))")
      }
    case .streak(let streak) where streak.user == user:
      let word = word(for: streak).rawValue
      add(streak.day) { entry in
        entry.streak = word
        entry.length = streak.after.length
      }
    case .level(let level) where level.user == user:
      add(zone.localDateTime(at: level.effective).day) { $0.notes.append("level \(level.level)") }
    case .unknown(let unknown) where unknown.user == user:
      let seconds = unknown.gaps.reduce(0) { $0 + $1.to.seconds(since: $1.from) }
      let causes = Set(unknown.gaps.map(\.reason)).sorted().joined(separator: ", ")
      add(unknown.day) { entry in
        entry.notes.append("\(unknown.mission.name) unknown for \(seconds) s (\(causes))")
      }
    case .refused(let refused) where refused.user == user:
      add(refused.day) { $0.notes.append("\(refused.what.words): \(refused.detail)") }
    case .credit(let record) where record.user == user:
      add(zone.localDateTime(at: record.credit.effective).day) { entry in
        entry.notes.append("credit \(record.credit.summary)")
      }
    case .excuse(let excuse) where excuse.users?.contains(user) ?? true:
      guard excuse.from <= excuse.to, days.overlaps(excuse.from...excuse.to) else { return }
      let covered = days.clamped(to: excuse.from...excuse.to)
      for number in covered.lowerBound.number...covered.upperBound.number {
        let day = Day(number: number)
        guard touches(excuse, day) else { continue }
        add(day) { entry in
          let what =
            excuse.withdraws != nil
            ? "outage or pardon withdrawn" : excuse.outage == nil ? "pardoned" : "outage declared"
          entry.notes.append("\(what): \(excuse.reason) (\(excuse.actor))")
        }
      }
    case .user(let moved) where moved.user == user:
      zones.insert(moved.zone)
      let what =
        moved.forgotten ? "forgotten" : moved.removed ? "removed" : "lives in \(moved.zone)"
      add(zone.localDateTime(at: moved.from).day) { $0.notes.append(what) }
    default: break
    }
  }

  /// Returns what the day did to the streak; a backfill's line says only how the streak stands after it.
  private func word(for streak: StreakRecord) -> StreakChange {
    guard streak.what == .repaired else { return streak.what }
    let isExcused = LedgerState.standing(state.excuses, asOf: .max).contains {
      $0.covers(user, on: streak.day) && touches($0.record, streak.day)
    }
    if streak.before == streak.after, isExcused { return .excused }
    // A backfill that leaves no streak is the break that should have happened.
    if streak.after.length == 0 { return .broken }
    return streak.before == streak.after ? .held : .repaired
  }

  /// Returns whether an outage or pardon of a day is also one of the user's zones, and an outage meets the day there.
  private func touches(_ excuse: ExcuseRecord, _ day: Day) -> Bool {
    guard excuse.zone.map(zones.contains) ?? true else { return false }
    // The record's days are those of all zones.
    guard let outage = excuse.outage, let window = zone.window(of: day) else { return true }
    return outage.meets(from: window.start, to: window.end)
  }

  private mutating func consume(_ grant: GrantRecord) {
    dayOfKey[grant.baseKey] = grant.day
    add(grant.day) { entry in
      entry.missions[grant.mission, default: 0] += grant.reward.points
      entry.amounts += grant.reward.amounts
      if let streak = grant.streak {
        // A later login grant means that the day was not missed, whatever its close said.
        entry.streak = "counted"
        entry.length = streak.length
      }
      if grant.isAdjustment { entry.notes.append("\(grant.key) corrected (\(grant.cause))") }
      for item in grant.reward.items { entry.notes.append("got \(item)") }
      for item in grant.removedItems { entry.notes.append("lost \(item)") }
    }
  }

  private mutating func add(_ day: Day?, _ change: (inout UserTimeline.Entry) -> Void) {
    guard let day, days.contains(day) else { return }
    var entry = byDay[day] ?? UserTimeline.Entry(day: day)
    change(&entry)
    byDay[day] = entry
  }
}
