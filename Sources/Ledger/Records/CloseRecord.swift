public import CivilTime
public import Described
public import Evidence
public import RewardRules

/// The record that a zone's day has ended and has been judged for users of the zone.
///
/// Users who were behind the zone's last close when it was written get a close of their own, so a zone's day may have
/// several. Each user-day has exactly one.
public struct CloseRecord: Sendable, Equatable {
  /// The IANA zone.
  public var zone: String
  /// The day, from the start of the earliest of these users' days to the end of the date.
  public var window = DayWindow(day: Day(number: 0), start: .earliest, end: .earliest)
  /// When the date begins by the zone's rules, if older rules ended the day before at another instant; otherwise nil.
  public var dateStart: Instant?
  /// The number of users judged.
  public var users: Int
  /// How their days and missions were judged.
  public var counts: CloseCounts
  /// The points of all grants for that day to these users, including adjustments.
  public var points: Int64
  /// The exp of the same grants.
  public var exp: Int64
  /// The coins of the same grants; nil if the line does not state them.
  public var coins: Int64?
  /// The version of the time zone database.
  public var tzdata: String
  /// The configured sources; nil if the line does not state them.
  public var sources: [Source]?
  /// The last seal before this record.
  public var head: LedgerHead

  /// Creates the record of a close.
  public init(
    zone: String, window: DayWindow, dateStart: Instant? = nil, users: Int, counts: CloseCounts,
    amounts: Amounts, tzdata: String, sources: [Source]?, head: LedgerHead
  ) {
    self.zone = zone
    self.window = window
    self.dateStart = dateStart
    self.users = users
    self.counts = counts
    (points, exp, coins) = (amounts.points, amounts.exp, amounts.coins)
    self.tzdata = tzdata
    self.sources = sources
    self.head = head
  }

  /// The date's own window. A user's day shorter than this was shortened.
  public var date: DayWindow {
    DayWindow(day: window.day, start: dateStart ?? window.start, end: window.end)
  }

  /// Returns the sums of the grants, taking from `other` the units that the line does not state.
  public func amounts(whereUntold other: Amounts) -> Amounts {
    Amounts {
      switch $0 {
      case .points: points
      case .exp: exp
      case .coins: coins ?? other.coins
      }
    }
  }

  /// The kinds with a configured source; nil if the line does not state the sources.
  public var watched: KindSet? {
    sources.map(KindSet.init(seenAt:))
  }
}

extension CloseRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    zone = try coder.field("zone", value?.pointee.zone)
    window = try DayWindow(&coder, value?.pointer(to: \.window))
    dateStart = try coder.optional("dateStart", value?.pointee.dateStart)
    users = try coder.field("users", value?.pointee.users)
    counts = try coder.field("counts", value?.pointee.counts)
    points = try coder.field("points", value?.pointee.points)
    exp = try coder.field("exp", value?.pointee.exp)
    coins = try coder.optional("coins", value?.pointee.coins)
    tzdata = try coder.field("tzdata", value?.pointee.tzdata)
    sources = try coder.optional("sources", value?.pointee.sources)
    head = try coder.field("head", value?.pointee.head)
  }
}

extension DayWindow: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      day: try coder.field("day", value?.pointee.day),
      start: try coder.field("start", value?.pointee.start),
      end: try coder.field("end", value?.pointee.end))
  }
}

extension LedgerHead: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      seq: try coder.field("seq", value?.pointee.seq),
      hash: try coder.field("hash", value?.pointee.hash))
  }
}

/// The results for the users of a close.
public struct CloseCounts: Sendable, Equatable {
  /// The number of missions met.
  public var met = 0
  /// The number of missions not met.
  public var notMet = 0
  /// The number of missions that stay unknown.
  public var unknown = 0
  /// The number of days that count for the streak.
  public var counted = 0
  /// The number of days missed.
  public var missed = 0
  /// The number of days held.
  public var held = 0
  /// The number of days excused.
  public var excused = 0
  /// The number of users who had a streak.
  public var streaks = 0
  /// The number of streaks broken.
  public var broken = 0

  /// Creates counts of zero.
  public init() {}

  /// Adds the counts of other users.
  public static func += (left: inout CloseCounts, right: CloseCounts) {
    left.met += right.met
    left.notMet += right.notMet
    left.unknown += right.unknown
    left.counted += right.counted
    left.missed += right.missed
    left.held += right.held
    left.excused += right.excused
    left.streaks += right.streaks
    left.broken += right.broken
  }
}

extension CloseCounts: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    met = try coder.field("met", value?.pointee.met)
    notMet = try coder.field("notMet", value?.pointee.notMet)
    unknown = try coder.field("unknown", value?.pointee.unknown)
    counted = try coder.field("counted", value?.pointee.counted)
    missed = try coder.field("missed", value?.pointee.missed)
    held = try coder.field("held", value?.pointee.held)
    excused = try coder.field("excused", value?.pointee.excused)
    streaks = try coder.field("streaks", value?.pointee.streaks)
    broken = try coder.field("broken", value?.pointee.broken)
  }
}

/// The record that a kind of activity on a user's day could not be judged.
public struct UnknownRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The day.
  public var day: Day
  /// The kind that a mission or the streak needs.
  public var mission: ActivityKind
  /// The parts of the window that no poll covers.
  public var gaps: [Gap]

  /// Creates the record of an unknown kind.
  public init(user: String, day: Day, mission: ActivityKind, gaps: [Gap]) {
    self.user = user
    self.day = day
    self.mission = mission
    self.gaps = gaps
  }
}

extension UnknownRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    day = try coder.field("day", value?.pointee.day)
    mission = try coder.field("mission", value?.pointee.mission)
    gaps = try coder.field("gaps", value?.pointee.gaps)
  }
}

extension Gap: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      kind: try coder.field("kind", value?.pointee.kind),
      from: try coder.field("from", value?.pointee.from),
      to: try coder.field("to", value?.pointee.to),
      cause: try coder.field("cause", value?.pointee.cause))
  }
}

/// The record of a declared outage, a pardon, or the withdrawal of one.
public struct ExcuseRecord: Sendable, Equatable {
  /// The first day; for an outage, one before any day it can touch anywhere.
  public var from: Day
  /// The last day; for an outage, one after any day it can touch.
  public var to: Day
  /// The outage, which excuses only the days it hid; nil for a pardon, which excuses all its days.
  public var outage: Outage?
  /// The zone in which the days end; nil for all.
  public var zone: String?
  /// The users, at most 1,000 per record; nil for all.
  public var users: [String]?
  /// The line of the outage or pardon that this record withdraws. The record itself then excuses nothing.
  public var withdraws: UInt64?
  /// The reason given.
  public var reason: String
  /// The person who acted.
  public var actor: String
  /// The line of the act behind it, an `operator` record; nil in lines of earlier versions.
  public var by: UInt64?

  /// The time during which no activity could be seen.
  public struct Outage: Sendable, Equatable {
    /// Its first instant.
    public var from: Instant
    /// The first instant after it.
    public var to: Instant

    /// Creates an outage.
    public init(from: Instant, to: Instant) {
      self.from = from
      self.to = to
    }

    /// Returns whether the outage overlaps the stretch from `from` up to, not including, `to`.
    public func meets(from: Instant, to: Instant) -> Bool { self.from < to && from < self.to }
  }

  /// Creates the record of a pardon.
  public init(from: Day, to: Day, users: [String]? = nil, reason: String, actor: String) {
    self.from = from
    self.to = to
    self.users = users
    self.reason = reason
    self.actor = actor
  }
}

extension ExcuseRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    from = try coder.field("from", value?.pointee.from)
    to = try coder.field("to", value?.pointee.to)
    outage = try coder.optional("outage", value?.pointee.outage)
    zone = try coder.optional("zone", value?.pointee.zone)
    users = try coder.optional("users", value?.pointee.users)
    withdraws = try coder.optional("withdraws", value?.pointee.withdraws)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.field("actor", value?.pointee.actor)
    by = try coder.optional("by", value?.pointee.by)
  }
}

extension ExcuseRecord.Outage: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    from = try coder.field("from", value?.pointee.from)
    to = try coder.field("to", value?.pointee.to)
  }
}
