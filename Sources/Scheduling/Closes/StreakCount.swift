package import CivilTime
import Engine
import Ledger

/// How many streaks a close would break, and how many usually do.
package struct StreakCount: Sendable, Equatable {
  /// The number of users who have a streak.
  package var streaks: Int
  /// The number of streaks that would break.
  package var broken: Int
  /// The number of users who had a streak in the ledger's last closes.
  package var usualStreaks: Int
  /// The number of streaks that broke in those closes.
  package var usualBroken: Int

  /// Creates a count; zero by default.
  package init(streaks: Int = 0, broken: Int = 0, usualStreaks: Int = 0, usualBroken: Int = 0) {
    self.streaks = streaks
    self.broken = broken
    self.usualStreaks = usualStreaks
    self.usualBroken = usualBroken
  }

  /// Adds other streaks of the same ledger, whose usual figures count only once.
  mutating func add(streaks: Int, broken: Int) {
    self.streaks += streaks
    self.broken += broken
  }

  /// Adds another ledger's count.
  package static func += (left: inout StreakCount, right: StreakCount) {
    left.add(streaks: right.streaks, broken: right.broken)
    left.usualStreaks += right.usualStreaks
    left.usualBroken += right.usualBroken
  }

  /// Returns the sum of counts of different ledgers.
  package static func + (left: StreakCount, right: StreakCount) -> StreakCount {
    var sum = left
    sum += right
    return sum
  }
}

extension WorkingState {
  /// A count of no streaks, with the usual figures.
  var usualStreaks: StreakCount {
    var count = StreakCount()
    for share in ledger.closes.values.lazy.flatMap(\.shares) {
      count.usualStreaks += share.streaks
      count.usualBroken += share.broken
    }
    return count
  }

  /// Returns the report for other ledgers, with the counts of `closes`.
  mutating func report(counting closes: [DueClose]) -> StreakReport {
    let now = clock.now()
    let closed = ledger.closes
    return StreakReport(
      counts: count(closes),
      closedInPart: Set(
        closes.filter { close in closed[close.zone].map { close.window.day <= $0.last.day } ?? false
        }),
      usual: usualStreaks, ended: DueClose.ended(in: &self, now: now), at: now)
  }

  /// Returns how streaks would fare in each of `closes`, by what is known now, without the usual figures. Changes
  /// nothing.
  mutating func count(_ closes: [DueClose]) -> [DueClose: StreakCount] {
    let now = clock.now()
    var counts = Dictionary(closes.map { ($0, StreakCount()) }) { count, _ in count }
    let byDay = Dictionary(closes.map { ($0.place, $0) }) { close, _ in close }
    // Each user once, through the last of the days, because later days of a zone build on earlier ones.
    var last: [String: Instant] = [:]
    for close in closes {
      last[close.zone] = max(last[close.zone] ?? .earliest, close.window.end)
    }
    for user in ledger.accounts.indices {
      let account = ledger.accounts[user]
      guard let end = account.isMoving ? last.values.max() : last[ledger.zone(of: account)],
        let timeline = judgedTimeline(of: user, now: now)
      else { continue }
      var days = OpenDays(timeline, cause: "reconcile")
      days.evaluate(closingThrough: end)
      for day in days.days {
        guard let close = byDay[ZoneDay(day.window.zone, day.day)] else { continue }
        let part = CloseCounts(of: day)
        counts[close]?.add(streaks: part.streaks, broken: part.broken)
      }
    }
    return counts
  }
}

extension DueClose {
  /// The zone and the date.
  package var place: ZoneDay { ZoneDay(zone, window.day) }
}
