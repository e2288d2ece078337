public import CivilTime
public import Described
public import Evidence
public import RewardRules

/// A user's day on which the streak was broken, held, excused or repaired.
public struct StreakRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The day.
  public var day: Day
  /// What happened to the streak.
  public var what: StreakChange
  /// The streak before the day.
  public var before: StreakMark
  /// The streak after the day.
  public var after: StreakMark
  /// Of a break: which sources were looked at, and how far they prove.
  public var proof: [StreakProof]
  /// What a plan leaves; on the last record of a user's part only.
  public var settled: SettledChange?

  /// Creates the record of what became of a streak.
  public init(
    user: String, day: Day, what: StreakChange, before: StreakMark, after: StreakMark,
    proof: [StreakProof] = []
  ) {
    self.user = user
    self.day = day
    self.what = what
    self.before = before
    self.after = after
    self.proof = proof
  }
}

extension StreakRecord: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    day = try coder.field("day", value?.pointee.day)
    what = try coder.field("what", value?.pointee.what)
    before = try coder.field("before", value?.pointee.before)
    after = try coder.field("after", value?.pointee.after)
    proof = try coder.field("proof", value?.pointee.proof, unless: [])
    settled = try coder.optional("settled", value?.pointee.settled)
  }
}

/// What happened to a streak on a day that does not count.
public enum StreakChange: String, Sendable, CaseIterable, Word {
  case broken
  case held
  case excused
  case repaired

  /// For errors.
  public static var noun: StaticString { "change of a streak" }
}

/// A streak's length and cycle day after a day.
public struct StreakMark: Sendable, Equatable {
  /// Counted days in a row.
  public var length: Int32
  /// The day of the cycle, from 1; 0 when there is none.
  public var cycleDay: Int32

  /// Creates a length and a cycle day.
  public init(length: Int32, cycleDay: Int32) {
    self.length = length
    self.cycleDay = cycleDay
  }

  /// What of a streak is written down.
  public init(_ state: StreakState) { self.init(length: state.length, cycleDay: state.cycleDay) }
}

extension StreakMark: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    length = try coder.field("length", value?.pointee.length)
    cycleDay = try coder.field("cycleDay", value?.pointee.cycleDay)
  }
}

/// How a source proves that nothing happened on a day.
public struct StreakProof: Sendable, Equatable {
  /// The source.
  public var source: Source
  /// Up to where its looks cover the time since the day's beginning without a gap.
  public var through: Instant
  /// How many of its looks have been answered.
  public var looks: Int32
  /// How many seconds of gaps were tolerated.
  public var toleratedSeconds: Int64

  /// Creates a proof.
  public init(source: Source, through: Instant, looks: Int32, toleratedSeconds: Int64 = 0) {
    self.source = source
    self.through = through
    self.looks = looks
    self.toleratedSeconds = toleratedSeconds
  }
}

extension StreakProof: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    source = try coder.field("source", value?.pointee.source)
    through = try coder.field("through", value?.pointee.through)
    looks = try coder.field("looks", value?.pointee.looks)
    toleratedSeconds = try coder.field(
      "toleratedSeconds", value?.pointee.toleratedSeconds, unless: 0)
  }
}

/// A user reached a level; or, with `exp`, a plan says on which level the user stands, where the sums of its records do not
/// lead there.
public struct LevelRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The level.
  public var level: Int32
  /// When; of a correction the end of the last closed day.
  public var effective: Instant
  /// Of a correction: exp within the level behind the last closed day.
  public var exp: Int64?
  /// What a plan leaves; on the last record of a user's part only.
  public var settled: SettledChange?

  /// Creates the record of a level.
  public init(user: String, level: Int32, effective: Instant, exp: Int64? = nil) {
    self.user = user
    self.level = level
    self.effective = effective
    self.exp = exp
  }
}

extension LevelRecord: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    level = try coder.field("level", value?.pointee.level)
    effective = try coder.field("effective", value?.pointee.effective)
    exp = try coder.optional("exp", value?.pointee.exp)
    settled = try coder.optional("settled", value?.pointee.settled)
  }
}
