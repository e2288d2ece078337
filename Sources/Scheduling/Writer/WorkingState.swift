package import CivilTime
package import Engine
package import Evidence
package import Ledger
import RewardRules

/// Everything known while a service or a command works: the ledger's state, the polls of open days, and the days'
/// windows.
///
/// A value owned by the ``LedgerWriter``. Its ledger part changes only through commits.
package struct WorkingState: Sendable {
  /// The ledger's state.
  package private(set) var ledger: LedgerState
  /// The terms that are the same for all users.
  package let terms: EngineTerms
  /// The clock used for timestamps and decisions.
  package let clock: any ServiceClock
  /// The polls of each account's open days, by account index.
  package internal(set) var looks: [LookHistories]
  /// Until when the inbox proves that nothing else happened.
  package internal(set) var inboxThrough: Instant = .earliest
  /// When each user tends to do something, by account index; learnt from grants.
  package internal(set) var habits: [UserHabits]
  /// Whether habits have been learnt that are not stored yet.
  var hasNewHabits = false
  private var windows: Windows

  /// Creates the initial state, before the polls of an earlier run are restored.
  package init(
    _ ledger: LedgerState, terms: EngineTerms, zones: any ZoneSource, clock: any ServiceClock
  ) {
    self.ledger = ledger
    self.terms = terms
    self.clock = clock
    windows = Windows(zones: zones)
    looks = Array(repeating: LookHistories(), count: ledger.accounts.count)
    habits = Array(repeating: UserHabits(since: clock.now()), count: ledger.accounts.count)
  }

  /// The time zones.
  package var zones: any ZoneSource { windows.zones }

  /// Applies committed records.
  mutating func apply(_ records: [Record]) {
    for record in records { ledger.apply(record) }
    let missing = ledger.accounts.count - looks.count
    if missing > 0 {
      looks += Array(repeating: LookHistories(), count: missing)
      habits += Array(repeating: UserHabits(since: clock.now()), count: missing)
    }
    for record in records { learn(from: record.body) }
  }

  /// Reserves room for `count` more users.
  mutating func reserve(users count: Int) {
    ledger.reserve(users: count)
    looks.reserveCapacity(looks.count + count)
    habits.reserveCapacity(habits.count + count)
  }

  /// Learns when a kind was first used on a day: from a mission's grant or, for a kind without a mission, from the
  /// evidence.
  private mutating func learn(from body: RecordBody) {
    switch body {
    case .grant(let grant):
      guard let kind = ActivityKind(name: grant.mission) else { return }
      learn(kind, of: grant.user, at: grant.effective)
    case .evidence(let evidence):
      let activity = evidence.activity
      let day = Day(number: Int32(clamping: activity.from.seconds / 86_400))
      guard let rules = ledger.rules.current?.rules(on: day),
        !rules.missions.kinds.contains(activity.kind)
      else { return }
      learn(activity.kind, of: evidence.user, at: activity.from)
    default: return
    }
  }

  private mutating func learn(_ kind: ActivityKind, of user: String, at instant: Instant) {
    guard let user = ledger.index(of: user) else { return }
    habits[user].learn(kind, at: instant)
    hasNewHabits = true
  }

  /// Returns the open windows of a user up to the one that contains `now`; see `Windows`.
  package mutating func openWindows(
    of user: Int, through now: Instant
  ) throws(ZoneError) -> [UserWindow] {
    let account = ledger.accounts[user]
    return try windows.open(
      of: account, zone: ledger.zone(of: account), through: now, in: ledger)
  }

  /// Returns as many of these as can be judged. If a later day ends in a zone that cannot be read, that is the first
  /// window alone, which can be closed with its zone. Nil if even that one is unknown.
  mutating func judgedWindows(of user: Int, through now: Instant) -> [UserWindow]? {
    (try? openWindows(of: user, through: now))
      ?? (try? openWindows(of: user, through: min(now, ledger.accounts[user].boundary)))
  }

  /// Returns the windows of an account up to the one that contains `now`, as if a user who has left were present.
  /// `last` is used if no zone of the account can be read.
  package func allWindows(
    of account: Account, through now: Instant, orElse last: String?
  ) throws(ZoneError) -> [UserWindow] {
    try windows.all(
      of: account, zone: ledger.zone(of: account), through: now, in: ledger, orElse: last)
  }

  /// Drops windows computed with an older time zone database.
  mutating func forgetWindows() { windows.forget() }

  /// Returns the timeline of a user's open days up to the one that contains `now`; nil if the user has no running day
  /// yet.
  mutating func timeline(of user: Int, now: Instant) throws(ZoneError) -> Timeline? {
    let account = ledger.accounts[user]
    let days = try windows.open(
      of: account, zone: ledger.zone(of: account), through: now, in: ledger)
    // Before the first day after a return, no day is open, but late facts may arrive for closed ones.
    if days.isEmpty, account.recentDays.isEmpty { return nil }
    return timeline(of: user, account, with: days)
  }

  /// Returns the timeline over as many days as can be judged; see ``judgedWindows(of:through:)``.
  mutating func judgedTimeline(of user: Int, now: Instant) -> Timeline? {
    (try? timeline(of: user, now: now))
      ?? (try? timeline(of: user, now: min(now, ledger.accounts[user].boundary)))
  }

  /// Returns the timeline of a user whose open days are unknown, because a time zone cannot be read.
  func timelineWithoutDays(of user: Int) -> Timeline {
    timeline(of: user, ledger.accounts[user], with: [])
  }

  private func timeline(
    of user: Int, _ account: Account, with windows: [UserWindow]
  ) -> Timeline {
    Timeline(
      account: account, openWindows: windows, looks: looks[user], inboxThrough: inboxThrough,
      excuses: ledger.excuses(for: account.id), rules: ledger.rules, terms: terms)
  }
}
