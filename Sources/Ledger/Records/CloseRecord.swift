public import CivilTime
public import Described
public import Evidence
public import RewardRules

/// A zone's day has ended and has been judged for users of the zone.
///
/// Users who were behind the zone's last close when that was written get a close of their own, so a zone's day may have
/// several: each user-day has one.
public struct CloseRecord: Sendable, Equatable {
  /// The IANA zone.
  public var zone: String
  /// The day, from where the first of these users' days begins to the end of the date.
  public var window = DayWindow(day: Day(number: 0), start: .earliest, end: .earliest)
  /// Where the date begins by the zone's rules, when older ones have ended the day before at another instant; else nil.
  public var dateStart: Instant?
  /// Users judged.
  public var users: Int
  /// How the days and missions were judged.
  public var counts: CloseCounts
  /// Points of all grants of that day to these users, adjustments included.
  public var points: Int64
  /// Exp of the same.
  public var exp: Int64
  /// Coins of the same; nil where the line does not tell.
  public var coins: Int64?
  /// Version of the time zone database.
  public var tzdata: String
  /// The sources that were configured; nil where the line does not tell.
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

  /// The date's own window: a user's day that is shorter was shortened.
  public var date: DayWindow {
    DayWindow(day: window.day, start: dateStart ?? window.start, end: window.end)
  }

  /// Returns the sums of the grants; of units that the line does not tell those of `other`.
  public func amounts(whereUntold other: Amounts) -> Amounts {
    Amounts {
      switch $0 {
      case .points: points
      case .exp: exp
      case .coins: coins ?? other.coins
      }
    }
  }

  /// The kinds whose source was configured; nil where the line does not tell.
  public var watched: KindSet? {
    sources.map(KindSet.init(seenAt:))
  }
}

extension CloseRecord: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
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
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      day: try coder.field("day", value?.pointee.day),
      start: try coder.field("start", value?.pointee.start),
      end: try coder.field("end", value?.pointee.end))
  }
}

extension LedgerHead: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      seq: try coder.field("seq", value?.pointee.seq),
      hash: try coder.field("hash", value?.pointee.hash))
  }
}

/// How the users of a close were judged.
public struct CloseCounts: Sendable, Equatable {
  /// Missions that were met.
  public var met = 0
  /// Missions that were not met.
  public var notMet = 0
  /// Missions that stay unknown.
  public var unknown = 0
  /// Days that count for the streak.
  public var counted = 0
  /// Days on which nothing that counts happened.
  public var missed = 0
  /// Days that neither count nor break.
  public var held = 0
  /// Days that an operator excused.
  public var excused = 0
  /// Users who had a streak.
  public var streaks = 0
  /// Streaks that broke.
  public var broken = 0

  /// Nobody was judged.
  public init() {}

  /// Adds what was counted of other users.
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
  /// Creates the fields, in the order in which they stand in a line.
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

/// A kind of activity of a user's day that could not be judged.
public struct UnknownRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The day.
  public var day: Day
  /// The kind that a mission or the streak asks for.
  public var mission: ActivityKind
  /// The parts of the window that no look covers.
  public var gaps: [Gap]

  /// Creates the record of something unknown.
  public init(user: String, day: Day, mission: ActivityKind, gaps: [Gap]) {
    self.user = user
    self.day = day
    self.mission = mission
    self.gaps = gaps
  }
}

extension UnknownRecord: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    day = try coder.field("day", value?.pointee.day)
    mission = try coder.field("mission", value?.pointee.mission)
    gaps = try coder.field("gaps", value?.pointee.gaps)
  }
}

extension Gap: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      kind: try coder.field("kind", value?.pointee.kind),
      from: try coder.field("from", value?.pointee.from),
      to: try coder.field("to", value?.pointee.to),
      cause: try coder.field("cause", value?.pointee.cause))
  }
}

/// A declared outage, a pardon, or the withdrawal of one.
public struct ExcuseRecord: Sendable, Equatable {
  /// The first day; of an outage, one before all that it can touch anywhere.
  public var from: Day
  /// The last day; of an outage, one behind all that it can touch.
  public var to: Day
  /// An outage: of the days it excuses those that it hid. Nil for a pardon, which excuses all of them.
  public var outage: Outage?
  /// The zone in which the days end; nil for all.
  public var zone: String?
  /// The users, at most 1,000 a record; nil for all.
  public var users: [String]?
  /// The line of the excuse that is withdrawn; this one then excuses nothing.
  public var withdraws: UInt64?
  /// Why.
  public var reason: String
  /// Who.
  public var actor: String

  /// From when to when nobody could be seen.
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

    /// Returns whether it meets the stretch from `from` up to, not including, `to`.
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
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    from = try coder.field("from", value?.pointee.from)
    to = try coder.field("to", value?.pointee.to)
    outage = try coder.optional("outage", value?.pointee.outage)
    zone = try coder.optional("zone", value?.pointee.zone)
    users = try coder.optional("users", value?.pointee.users)
    withdraws = try coder.optional("withdraws", value?.pointee.withdraws)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.field("actor", value?.pointee.actor)
  }
}

extension ExcuseRecord.Outage: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    from = try coder.field("from", value?.pointee.from)
    to = try coder.field("to", value?.pointee.to)
  }
}
