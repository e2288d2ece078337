public import CivilTime
public import Evidence
public import RewardRules
internal import StrictJSON

/// A zone's day has ended and has been judged for users of the zone.
///
/// Users who were behind the zone's last close when that was written get a close of their own, so a zone's day may have
/// several: each user-day has one.
public struct CloseRecord: Sendable, Equatable {
  /// The IANA zone.
  public var zone = ""
  /// The day, from where the first of these users' days begins to the end of the date.
  public var window = DayWindow(day: Day(number: 0), start: .earliest, end: .earliest)
  /// Where the date begins by the zone's rules, when older ones have ended the day before at another instant; else nil.
  public var dateStart: Instant?
  /// Users judged.
  public var users = 0
  /// How the days and missions were judged.
  public var counts = CloseCounts()
  /// Points of all grants of that day to these users, adjustments included.
  public var points: Int64 = 0
  /// Exp of the same.
  public var exp: Int64 = 0
  /// Coins of the same; nil where the line does not tell.
  public var coins: Int64?
  /// Version of the time zone database.
  public var tzdata = ""
  /// The sources that were configured; nil where the line does not tell.
  public var sources: [Source]?
  /// The last seal before this record.
  public var head = LedgerHead.origin

  init() {}

  /// The record of a close.
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

  /// The sums of the grants; of units that the line does not tell those of `other`.
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

extension CloseRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    var (day, start, end) = (window.day, window.start, window.end)
    try coder.field("zone", &zone)
    try coder.field("day", &day)
    try coder.field("start", &start)
    try coder.field("end", &end)
    try coder.field("dateStart", &dateStart)
    try coder.field("users", &users)
    try coder.field("counts", &counts)
    try coder.field("points", &points)
    try coder.field("exp", &exp)
    try coder.field("coins", &coins)
    try coder.field("tzdata", &tzdata)
    try coder.field("sources", &sources)
    try coder.field("head", &head)
    window = DayWindow(day: day, start: start, end: end)
  }
}

extension LedgerHead: LineObject {
  static let names = fieldNames(of: Self.self)

  init() { self = .origin }

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    var (seq, hash) = (seq, hash)
    try coder.field("seq", &seq)
    try coder.field("hash", &hash)
    self = LedgerHead(seq: seq, hash: hash)
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

extension CloseCounts: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("met", &met)
    try coder.field("notMet", &notMet)
    try coder.field("unknown", &unknown)
    try coder.field("counted", &counted)
    try coder.field("missed", &missed)
    try coder.field("held", &held)
    try coder.field("excused", &excused)
    try coder.field("streaks", &streaks)
    try coder.field("broken", &broken)
  }
}

/// A kind of activity of a user's day that could not be judged.
public struct UnknownRecord: Sendable, Equatable {
  /// The user's id.
  public var user = ""
  /// The day.
  public var day = Day(number: 0)
  /// The kind that a mission or the streak asks for.
  public var mission = ActivityKind.comment
  /// The parts of the window that no look covers.
  public var gaps: [Gap] = []

  init() {}

  /// The record of something unknown.
  public init(user: String, day: Day, mission: ActivityKind, gaps: [Gap]) {
    self.user = user
    self.day = day
    self.mission = mission
    self.gaps = gaps
  }
}

extension UnknownRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("user", &user)
    try coder.field("day", &day)
    try coder.field("mission", &mission)
    try coder.field("gaps", &gaps)
  }
}

extension Gap: LineObject {
  static let names = fieldNames(of: Self.self)

  init() { self.init(kind: .comment, from: .earliest, to: .earliest, cause: "") }

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    var (kind, from, to, cause) = (kind, from, to, cause)
    try coder.field("kind", &kind)
    try coder.field("from", &from)
    try coder.field("to", &to)
    try coder.field("cause", &cause)
    self = Gap(kind: kind, from: from, to: to, cause: cause)
  }
}

/// A declared outage, a pardon, or the withdrawal of one.
public struct ExcuseRecord: Sendable, Equatable {
  /// The first day; of an outage, one before all that it can touch anywhere.
  public var from = Day(number: 0)
  /// The last day; of an outage, one behind all that it can touch.
  public var to = Day(number: 0)
  /// An outage: of the days it excuses those that it hid. Nil for a pardon, which excuses all of them.
  public var outage: Outage?
  /// The zone in which the days end; nil for all.
  public var zone: String?
  /// The users, at most 1,000 a record; nil for all.
  public var users: [String]?
  /// The line of the excuse that is withdrawn; this one then excuses nothing.
  public var withdraws: UInt64?
  /// Why.
  public var reason = ""
  /// Who.
  public var actor = ""

  /// From when to when nobody could be seen.
  public struct Outage: Sendable, Equatable {
    /// Its first instant.
    public var from = Instant.earliest
    /// The first instant after it.
    public var to = Instant.earliest

    init() {}

    /// An outage.
    public init(from: Instant, to: Instant) {
      self.from = from
      self.to = to
    }

    /// Whether it meets the stretch from `from` up to, not including, `to`.
    public func meets(from: Instant, to: Instant) -> Bool { self.from < to && from < self.to }
  }

  init() {}

  /// The record of a pardon.
  public init(from: Day, to: Day, users: [String]? = nil, reason: String, actor: String) {
    self.from = from
    self.to = to
    self.users = users
    self.reason = reason
    self.actor = actor
  }
}

extension ExcuseRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("from", &from)
    try coder.field("to", &to)
    try coder.field("outage", &outage)
    try coder.field("zone", &zone)
    try coder.field("users", &users)
    try coder.field("withdraws", &withdraws)
    try coder.field("reason", &reason)
    try coder.field("actor", &actor)
  }
}

extension ExcuseRecord.Outage: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("from", &from)
    try coder.field("to", &to)
  }
}
