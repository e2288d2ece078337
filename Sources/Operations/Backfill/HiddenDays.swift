package import CivilTime
import Evidence
import Foundations
package import Ledger
package import LedgerStore
import RewardRules

/// User-days with gaps that closes recorded: candidates for an outage or a pardon.
package struct HiddenDays: Sendable {
  /// One user-local day.
  package struct HiddenDay: Sendable {
    /// The day.
    package let day: Day
    /// The users with something unknown, ordered by id.
    package let users: [String]
    /// The streaks that the day held or broke, the longest first.
    package let streaks: [Streak]
    /// The number of gaps by cause.
    package let causes: [String: Int]
    /// The start of the first gap.
    package let from: Instant
    /// The end of the last gap.
    package let to: Instant
  }

  /// A streak at stake.
  package struct Streak: Sendable, Equatable {
    /// The user's id.
    package let user: String
    /// The number of days it had before.
    package let length: Int32
    /// The day's effect on the streak.
    package let what: StreakChange
  }

  /// A time in which no users, or hardly any, could be observed.
  package struct SuspectedOutage: Sendable, Equatable {
    /// The time span.
    package let span: ExcuseRecord.Outage
    /// The number of user-days with a gap that overlaps it.
    package let userDays: Int
    /// The number of gaps by cause.
    package let causes: [String: Int]
  }

  /// The days, in order, with the users not covered by an outage or pardon.
  package let days: [HiddenDay]
  /// The outages inferred from the gaps of these days, in order.
  package let outages: [SuspectedOutage]
  /// The number of user-days already excused.
  package let excused: Int
  /// The number of user-days whose gaps are all shorter than requested.
  package let leftOut: Int

  /// Reads a ledger, leaving out user-days whose gaps are all shorter than `gapSeconds`; throws
  /// ``LedgerStore/LedgerError``.
  package static func read(
    _ ledger: LedgerReader, days: ClosedRange<Day>? = nil, gapSeconds: Int64 = 0
  ) async throws -> HiddenDays {
    try await BlockingThread(named: "rewards.hidden").run {
      var fold = HiddenDaysFold(range: days, gapSeconds: gapSeconds)
      try ledger.scan(HiddenDaysFold.selection) { fold.consume($0) }
      return HiddenDays(
        days: fold.days, outages: fold.outages, excused: fold.excusedCount, leftOut: fold.leftOut)
    }
  }
}

/// Collects gaps by day.
private struct HiddenDaysFold {
  private struct Gaps {
    var users: [String: [Gap]] = [:]
    var causes: [String: Int] = [:]
    var from = Instant.latest
    var to = Instant.earliest
  }

  static let selection = RecordSelection.ofTypes([.unknown, .streak, .excuse, .user])

  let range: ClosedRange<Day>?
  let gapSeconds: Int64
  /// The users with only short gaps, by day.
  private var shortGaps: [Day: Set<String>] = [:]
  private var streaks: [Day: [String: HiddenDays.Streak]] = [:]
  private var gaps: [Day: Gaps] = [:]
  private var excuses: [LedgerState.Excuse] = []
  /// When each user's first record was written.
  private var cameAt: [String: Instant] = [:]

  init(range: ClosedRange<Day>?, gapSeconds: Int64) {
    self.range = range
    self.gapSeconds = gapSeconds
  }

  /// The number of user-days with only short gaps.
  var leftOut: Int {
    shortGaps.reduce(0) { sum, day in
      sum + day.value.count { gaps[day.key]?.users[$0] == nil }
    }
  }

  mutating func consume(_ record: Record) {
    switch record.body {
    case .unknown(let unknown):
      if let range, !range.contains(unknown.day) { return }
      // Before a user came, nothing was hidden.
      let hidden = unknown.gaps.filter { gap in
        gap.cause != Gap.notKnownYet || cameAt[unknown.user].map { gap.to > $0 } ?? true
      }
      if hidden.isEmpty { return }
      guard hidden.contains(where: { $0.to.seconds(since: $0.from) >= gapSeconds }) else {
        shortGaps[unknown.day, default: []].insert(unknown.user)
        return
      }
      var day = gaps[unknown.day] ?? Gaps()
      day.users[unknown.user, default: []] += hidden
      for gap in hidden {
        day.causes[gap.cause, default: 0] += 1
        day.from = min(day.from, gap.from)
        day.to = max(day.to, gap.to)
      }
      gaps[unknown.day] = day
    case .streak(let streak) where streak.before.length > 0:
      streaks[streak.day, default: [:]][streak.user] = HiddenDays.Streak(
        user: streak.user, length: streak.before.length, what: streak.what)
    case .user(let user):
      if cameAt[user.user] == nil { cameAt[user.user] = record.at }
    case .excuse(let excuse):
      excuses.append(LedgerState.Excuse(seq: record.seq, record: excuse))
    default: break
    }
  }

  /// The number of user-days already excused.
  var excusedCount: Int {
    let standing = LedgerState.standing(excuses, asOf: .max)
    return gaps.reduce(0) { sum, day in
      sum + day.value.users.count { isExcused($0.key, on: day.key, $0.value, by: standing) }
    }
  }

  /// Whether an outage or pardon covers the day, as far as the gaps show. One for a zone is assumed to, because gaps
  /// name no zone.
  private func isExcused(
    _ user: String, on day: Day, _ gaps: [Gap], by standing: [LedgerState.Excuse]
  ) -> Bool {
    standing.contains { excuse in
      guard excuse.covers(user, on: day) else { return false }
      guard let outage = excuse.record.outage else { return true }
      return gaps.contains { outage.meets(from: $0.from, to: $0.to) }
    }
  }

  /// The times at which the gaps of many user-days overlap.
  ///
  /// For each unbroken stretch of gaps, an outage lasts from the first to the last instant with at least half of the
  /// stretch's maximum overlap. Gaps with other causes, all day long or of one user, do not reach that many.
  var outages: [HiddenDays.SuspectedOutage] {
    let standing = LedgerState.standing(excuses, asOf: .max)
    var changes: [(at: Instant, by: Int)] = []
    var all: [[Gap]] = []
    for (day, gaps) in gaps {
      for (user, own) in gaps.users where !isExcused(user, on: day, own, by: standing) {
        let meant = own.filter { Self.indicatesOutage($0.cause) }
        if meant.isEmpty { continue }
        all.append(meant)
        // Count each instant once per user-day, however many kinds are hidden.
        var union = Coverage()
        for gap in meant { union.cover(from: gap.from, to: gap.to) }
        changes += union.intervals.flatMap { [($0.from, 1), ($0.to, -1)] }
      }
    }
    changes.sort { ($0.at, -$0.by) < ($1.at, -$1.by) }
    var found: [HiddenDays.SuspectedOutage] = []
    var stretch: [(at: Instant, depth: Int)] = []
    var depth = 0
    for change in changes {
      depth += change.by
      stretch.append((change.at, depth))
      guard depth == 0 else { continue }
      let half = ((stretch.map(\.depth).max() ?? 0) + 1) / 2
      let first = stretch.firstIndex { $0.depth >= half }
      let last = stretch.lastIndex { $0.depth >= half }
      if let first, let last, last + 1 < stretch.count {
        let span = ExcuseRecord.Outage(from: stretch[first].at, to: stretch[last + 1].at)
        let met = all.filter { $0.contains { span.meets(from: $0.from, to: $0.to) } }
        let causes = met.joined().filter { span.meets(from: $0.from, to: $0.to) }
          .reduce(into: [:]) { $0[$1.cause, default: 0] += 1 }
        found.append(HiddenDays.SuspectedOutage(span: span, userDays: met.count, causes: causes))
      }
      stretch = []
    }
    return found
  }

  /// Whether a cause indicates an outage. Problems with one user's credentials or entries do not.
  private static func indicatesOutage(_ cause: String) -> Bool {
    let causes = FailureCause.ofSingleUsers.union([.endless])
    return FailureCause(rawValue: cause).map { !causes.contains($0) } ?? true
  }

  var days: [HiddenDays.HiddenDay] {
    let standing = LedgerState.standing(excuses, asOf: .max)
    return gaps.sorted { $0.key < $1.key }.compactMap { day, gaps in
      let users = Set(
        gaps.users.filter { !isExcused($0.key, on: day, $0.value, by: standing) }.keys)
      if users.isEmpty { return nil }
      let atStake = (streaks[day] ?? [:]).values.filter {
        users.contains($0.user) && ($0.what == .held || $0.what == .broken)
      }
      return HiddenDays.HiddenDay(
        day: day, users: users.sorted(),
        streaks: atStake.sorted { ($1.length, $0.user) < ($0.length, $1.user) },
        causes: gaps.causes, from: gaps.from, to: gaps.to)
    }
  }
}
